import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Properties of the validation of ID tokens (OpenID Connect Core §3.1.3.7). "Item" in the text of a property means
/// an item of the list in that section.
///
/// An input of two lines is a header and a payload, which are signed with the issuer's key. An input of one line is a
/// complete token.
enum IDTokenProperties {
  private static let clientID = "notes"
  private static let nonce = "n-0S6_WzA2Mj"
  private static let verifier: IDTokenVerifier? = {
    guard let issuer = try? Issuer(FuzzServer.issuer), let url = try? EndpointURL("https://as.example/jwks") else {
      return nil
    }
    let keys = JWKSCache(url: url, transport: FixedTransport(json: FuzzKeys.jwks), now: { FuzzKeys.now })
    return IDTokenVerifier(
      issuer: issuer, clientID: IDTokenProperties.clientID, keys: keys, allowedAlgorithms: nil, now: { FuzzKeys.now })
  }()

  /// - Returns: Whether the token was accepted.
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let token = FuzzKeys.token(input), let claims = await self.claims(of: token) else { return false }
    try require(FuzzKeys.isSignedWithOwnKey(token), "an accepted token was signed by the issuer")
    guard let (header, parsed, hasCritical) = TokenClaims.read(token) else {
      throw Violation(of: "an accepted token can be parsed")
    }
    try require(!hasCritical, "RFC 7515 §4.1.11: no extension is supported")
    try require(["ES256", "EdDSA"].contains(header.alg), "an accepted token has the algorithm of one of the keys")
    try require(haveSameBytes(parsed.iss, FuzzServer.issuer), "item 2: the issuer is identical")
    try require(parsed.aud?.values.contains { haveSameBytes($0, self.clientID) } ?? false, "item 3: the client is an audience")
    try require(
      parsed.azp == nil || haveSameBytes(parsed.azp, self.clientID), "item 5: the authorized party, if present, is the client")
    try require(
      parsed.azp != nil || parsed.aud?.values.count == 1, "item 4: a token with several audiences has an authorized party")
    try require(haveSameBytes(parsed.nonce, self.nonce), "item 11: the nonce is the one of the request")
    try require(
      parsed.exp != nil && parsed.iat != nil && parsed.isValid(leeway: 60),
      "items 9 and 10: the token is valid now, with a leeway of 60 s")
    try require(haveSameBytes(parsed.sub, claims.subject) && !claims.subject.isEmpty, "the subject is the one in the token")
    // The maximum age is so long that it rejects no `auth_time`.
    let isAcceptedWithMaximumAge = await self.claims(of: token, maximumAge: .seconds(Int64.max) + .seconds(60)) != nil
    try require(
      isAcceptedWithMaximumAge == (claims.authenticationTime != nil),
      "item 13: if the client sets a maximum age, a token is accepted only with an auth_time")
    let reparsed = FuzzJSON.encode(claims).flatMap { FuzzJSON.decode(IDTokenClaims.self, $0) }
    try require(reparsed == claims, "encoded claims decode to the same value")
    try await self.checkForgeries(token, input)
    return true
  }

  private static func checkForgeries(_ token: String, _ input: [UInt8]) async throws(Violation) {
    // Only an input of two lines has `parts`, which can be signed again.
    if FuzzKeys.parts(input) != nil, let forged = FuzzKeys.token(input, by: .other) {
      try require(await self.claims(of: forged) == nil, "the same token signed with another key is rejected")
    }
    try require(await self.claims(of: token + "A") == nil, "a signature with an additional character is rejected")
  }

  private static func claims(of token: String, maximumAge: Duration? = nil) async -> IDTokenClaims? {
    var expectations = IDTokenExpectations(nonce: self.nonce, accessToken: Secret("access"))
    expectations.maxAge = maximumAge
    return try? await self.verifier?.verify(Secret(token), expecting: expectations)
  }
}

/// A transport that responds to all requests with the same document.
struct FixedTransport: Transport {
  let json: String

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    TransportResponse(
      head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(self.json.utf8))
  }
}
