import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// An ID token from its text to its claims, OpenID Connect Core §3.1.3.7.
///
/// Two lines, header and payload, are signed with a key of the issuer; one line is a token as it is.
enum IDTokenProperties {
  private static let clientID = "notes"
  private static let nonce = "n-0S6_WzA2Mj"
  private static let verifier: IDTokenVerifier? = {
    guard let issuer = try? Issuer("https://as.example/K"), let url = try? EndpointURL("https://as.example/jwks") else {
      return nil
    }
    let keys = JWKSCache(url: url, transport: FixedTransport(json: FuzzKeys.jwks), now: { FuzzKeys.now })
    return IDTokenVerifier(
      issuer: issuer, clientID: IDTokenProperties.clientID, keys: keys, allowedAlgorithms: nil, now: { FuzzKeys.now })
  }()

  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let token = FuzzKeys.token(input), let claims = await self.claims(of: token) else { return false }
    try require(FuzzKeys.isOurs(token), "an accepted token was signed by the issuer")
    guard let (header, own, hasCritical) = TokenClaims.read(token) else { throw Violation("an accepted token can be read") }
    try require(!hasCritical, "RFC 7515 §4.1.11: no extension is understood")
    try require(["ES256", "EdDSA"].contains(header.alg), "an accepted token has the algorithm of one of the keys")
    try require(isSame(own.iss, "https://as.example/K"), "number 2: the issuer is identical")
    try require(own.aud?.values.contains { isSame($0, self.clientID) } ?? false, "number 3: the client is an audience")
    try require(own.azp == nil || isSame(own.azp, self.clientID), "number 5: the client is the authorized party")
    try require(own.azp != nil || own.aud?.values.count == 1, "number 4: with other audiences there is an authorized party")
    try require(isSame(own.nonce, self.nonce), "number 11: the nonce is the request's")
    try require(own.exp != nil && own.iat != nil && own.isValid(leeway: 60), "numbers 9 and 10: the token is good now")
    try require(isSame(own.sub, claims.subject) && !claims.subject.isEmpty, "the subject is the token's")
    let again = FuzzJSON.encode(claims).flatMap { FuzzJSON.decode(IDTokenClaims.self, $0) }
    try require(again == claims, "claims that are written again read the same")
    try await self.checkForgeries(token, input)
    return true
  }

  private static func checkForgeries(_ token: String, _ input: [UInt8]) async throws(Violation) {
    if FuzzKeys.parts(input) != nil, let forged = FuzzKeys.token(input, by: .stranger) {
      try require(await self.claims(of: forged) == nil, "the same token with another signature is rejected")
    }
    try require(await self.claims(of: token + "A") == nil, "a signature with something behind it is refused")
  }

  private static func claims(of token: String) async -> IDTokenClaims? {
    try? await self.verifier?.verify(
      Secret(token), expecting: IDTokenExpectations(nonce: self.nonce, accessToken: Secret("access")))
  }
}

/// A transport that returns one document for every request.
struct FixedTransport: Transport {
  let json: String

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    TransportResponse(
      head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(self.json.utf8))
  }
}
