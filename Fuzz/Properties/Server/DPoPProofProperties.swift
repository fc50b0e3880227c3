import SallyportProtocol

/// Properties of the validation of DPoP proofs (RFC 9449 §4.3). "Rule" in the text of a property means an item of the
/// list in that section.
///
/// An input of two lines is a header and a payload, which are signed. An input of one line is a complete proof.
enum DPoPProofProperties {
  private static let url = "https://as.example/token"

  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let proof = FuzzKeys.token(input), let target = DPoPTarget(method: "POST", url: self.url) else { return false }
    let expectations = DPoPExpectations(target: target, accessToken: Secret("access"), nonces: ["n1", "n2"])
    let accepted = Result { () throws(DPoPProofError) in
      try ValidatedDPoPProof(proof, expecting: expectations, at: FuzzKeys.now)
    }
    guard case .success(let valid) = accepted else { return false }
    guard let (header, claims, hasCritical) = TokenClaims.read(proof) else {
      throw Violation(of: "an accepted proof can be parsed")
    }
    let types = ["dpop+jwt", "application/dpop+jwt"]
    try require(!hasCritical && types.contains(header.typ?.lowercased() ?? ""), "rule 4: the type is dpop+jwt")
    try require(valid.key.algorithm.rawValue == header.alg, "rule 5: the algorithm is the key's algorithm")
    try require(haveSameBytes(claims.htm, "POST"), "rule 8: the method is the request's method")
    try require(DPoPTarget(method: "POST", url: claims.htu ?? "") == target, "rule 9: the URL is the request's URL")
    try require(haveSameBytes(claims.nonce, "n1") || haveSameBytes(claims.nonce, "n2"), "rule 10: the nonce is valid")
    // The age of a proof is limited only if no nonce is required, so the proof is validated again without nonces.
    var withoutNonce = expectations
    withoutNonce.nonces = nil
    if (try? ValidatedDPoPProof(proof, expecting: withoutNonce, at: FuzzKeys.now)) != nil {
      let age = Double(FuzzKeys.now.seconds) - (claims.iat ?? -.infinity)
      try require(
        (-30.0...300).contains(age),
        "rule 11: if no nonce is required, iat is at most 5 minutes in the past and at most 30 seconds in the future")
    }
    try require(haveSameBytes(claims.jti, valid.identifier) && !valid.identifier.isEmpty, "rule 3: the proof has an identifier")
    try require(valid.expiration > FuzzKeys.now - .seconds(1), "an accepted proof has not expired")
    try require(valid.key.thumbprint.utf8.count == 43, "the thumbprint is as long as a SHA-256 hash in base64url")
    // Only an input of two lines can be signed again with another key.
    if FuzzKeys.parts(input) != nil {
      try require(FuzzKeys.isSignedWithOwnKey(proof), "rule 6: the signature was made with the key")
      let forged = FuzzKeys.token(input, by: .other) ?? ""
      let forgedResult = try? ValidatedDPoPProof(forged, expecting: expectations, at: FuzzKeys.now)
      try require(forgedResult == nil, "the same proof signed with another key is rejected")
    }
    var forOtherKey = expectations
    forOtherKey.keyThumbprint = String(repeating: "A", count: 43)
    try require(
      (try? ValidatedDPoPProof(proof, expecting: forOtherKey, at: FuzzKeys.now)) == nil,
      "a proof for a token that is bound to another key is rejected")
    return true
  }
}
