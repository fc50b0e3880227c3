import Crypto
import HTTPTypes
import SallyportResource
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How many requests `SallyportResource` authorizes per second on one core, without an HTTP server.
struct TokenRates: Encodable {
  /// The rate for requests with the same token, which is cached after its first verification.
  let remembered: Double
  /// The rate for requests with different tokens. The signature and the claims of each token are checked.
  let new: Double
  /// The rate for requests with the same cached token, which is bound to a key, and different DPoP proofs.
  let bound: Double

  private static let resource = "https://api.example/notes"

  static func measure() async throws -> TokenRates {
    let key = P256.Signing.PrivateKey()
    let serializer = try JWSSerializer(key: SigningKey(id: "example", algorithm: .es256, der: Array(key.derRepresentation)))
    let holder = try SoftwareDPoPKeys().makeKey()
    func token(boundTo thumbprint: String? = nil) throws -> Secret<String> {
      try serializer.sign(TokenClaims(thumbprint: thumbprint), as: .accessToken)
    }
    let (cachedToken, boundToken) = (try token(), try token(boundTo: holder.publicKey.thumbprint))
    let newTokens = try (0..<4000).map { _ in try token() }
    let proofs = try Self.proofs(4000, of: boundToken, by: holder)
    var limits = ResourceLimits()
    let api = try Self.api(of: key, limits)
    // The smallest possible cache. As in an API with many users, each new token replaces an earlier one.
    limits.cachedTokens = 2
    let apiWithSmallCache = try Self.api(of: key, limits)
    return TokenRates(
      remembered: try await rate { _ = try await api.authorize(Self.request("Bearer", cachedToken)) },
      new: try await Self.throughput(newTokens) { _ = try await apiWithSmallCache.authorize(Self.request("Bearer", $0)) },
      bound: try await Self.throughput(proofs) { _ = try await api.authorize(Self.request("DPoP", boundToken, proof: $0)) })
  }

  private static func api(of key: P256.Signing.PrivateKey, _ limits: ResourceLimits) throws -> ResourceServer {
    let issuer = TrustedIssuer(try Issuer("https://id.example"), jwksURI: try EndpointURL("https://id.example/jwks"))
    return try ResourceServer(
      EndpointURL(self.resource), trusting: [issuer], limits: limits, transport: OneKeyTransport(key: key.publicKey))
  }

  private static func proofs(_ count: Int, of token: Secret<String>, by key: any DPoPKey) throws -> [Secret<String>] {
    guard let target = DPoPTarget(method: "GET", url: self.resource) else { return [] }
    return try (0..<count).map { _ in try DPoPProof.make(for: target, accessToken: token, at: .now(), by: key) }
  }

  private static func request(_ scheme: String, _ token: Secret<String>, proof: Secret<String>? = nil) -> HTTPRequest {
    var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")
    request.headerFields[.authorization] = "\(scheme) \(token.reveal())"
    if let proof, let name = HTTPField.Name("DPoP") { request.headerFields[name] = proof.reveal() }
    return request
  }

  /// How often `body` runs per second, measured with one call for each value.
  private static func throughput(_ values: [Secret<String>], _ body: (Secret<String>) async throws -> Void) async rethrows
    -> Double
  {
    let clock = ContinuousClock()
    let start = clock.now
    for value in values { try await body(value) }
    return Double(values.count) / (start.duration(to: clock.now) / .seconds(1))
  }
}

private struct TokenClaims: Encodable {
  var iss = "https://id.example"
  var sub = "acct-Wd0Zs3hXQ9Gm1Yt2nKc4Ag"
  var aud = "https://api.example/notes"
  var exp = Timestamp.now().seconds + 600
  var iat = Timestamp.now().seconds
  var jti = UUID().uuidString
  var clientID = "benchmark"
  var scope = "notes:read notes:write"
  var cnf: [String: String]?

  private enum CodingKeys: String, CodingKey {
    case iss, sub, aud, exp, iat, jti, scope, cnf
    case clientID = "client_id"
  }

  init(thumbprint: String?) {
    self.cnf = thumbprint.map { ["jkt": $0] }
  }
}

/// Responds to each request with a JWK Set of one key.
private struct OneKeyTransport: Transport {
  let key: P256.Signing.PublicKey

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    // The raw representation of a P-256 key consists of its coordinates x and y, 32 bytes each.
    let (x, y) = (self.key.rawRepresentation.prefix(32), self.key.rawRepresentation.suffix(32))
    let members = #""x":"\#(Self.base64URL(x))","y":"\#(Self.base64URL(y))""#
    let key = #"{"kty":"EC","crv":"P-256","alg":"ES256","kid":"example",\#(members)}"#
    let set = #"{"keys":[\#(key)]}"#
    return TransportResponse(
      head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(set.utf8))
  }

  private static func base64URL(_ bytes: Data) -> String {
    bytes.base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined().replacing("=", with: "")
  }
}
