import SallyportProtocol

/// DPoP proofs, RFC 9449 §4.3: two lines, header and payload, are signed; one line is a proof as it is.
enum DPoPProofProperties {
  private static let url = "https://as.example/token"

  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let proof = FuzzKeys.token(input), let target = DPoPTarget(method: "POST", url: self.url) else { return false }
    let expectations = DPoPExpectations(target: target, accessToken: Secret("access"), nonces: ["n1", "n2"])
    let accepted = Result { () throws(DPoPProofError) in
      try ValidatedDPoPProof(proof, expecting: expectations, at: FuzzKeys.now)
    }
    guard case .success(let valid) = accepted else { return false }
    guard let (header, claims, hasCritical) = TokenClaims.read(proof) else { throw Violation("an accepted proof can be read") }
    try require(!hasCritical && header.typ?.lowercased().hasSuffix("dpop+jwt") == true, "number 4: the type is dpop+jwt")
    try require(valid.key.algorithm.rawValue == header.alg, "number 6: the key is for the algorithm")
    try require(isSame(claims.htm, "POST"), "number 8: the method is the request's")
    try require(DPoPTarget(method: "POST", url: claims.htu ?? "") == target, "number 9: the URL is the request's")
    try require(isSame(claims.nonce, "n1") || isSame(claims.nonce, "n2"), "number 10: the nonce is one of ours")
    var withoutNonce = expectations
    withoutNonce.nonces = nil
    if (try? ValidatedDPoPProof(proof, expecting: withoutNonce, at: FuzzKeys.now)) != nil {
      let age = Double(FuzzKeys.now.seconds) - (claims.iat ?? -.infinity)
      try require((-30.0...300).contains(age), "number 11: without a nonce, the proof is new")
    }
    try require(isSame(claims.jti, valid.identifier) && !valid.identifier.isEmpty, "number 3: it has an identifier")
    try require(valid.expiration > FuzzKeys.now - .seconds(1), "it is remembered as long as it is good")
    try require(valid.key.thumbprint.utf8.count == 43, "the thumbprint is a SHA-256 one")
    if FuzzKeys.parts(input) != nil {
      try require(FuzzKeys.isOurs(proof), "number 7: the signature is the key's")
      let forged = FuzzKeys.token(input, by: .stranger) ?? ""
      let again = try? ValidatedDPoPProof(forged, expecting: expectations, at: FuzzKeys.now)
      try require(again == nil, "the same proof with another signature is rejected")
    }
    var other = expectations
    other.keyThumbprint = String(repeating: "A", count: 43)
    try require((try? ValidatedDPoPProof(proof, expecting: other, at: FuzzKeys.now)) == nil, "a token of another key is refused")
    return true
  }
}
