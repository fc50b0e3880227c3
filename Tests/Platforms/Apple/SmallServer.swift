import Foundation
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization

/// An authorization server that approves each request. It does not support OpenID Connect.
struct SmallServer: Transport {
  private static let issuer = "https://id.example.com"

  func client() throws -> OAuthClient {
    let server = ServerConfiguration(
      issuer: try Issuer(Self.issuer), authorizationEndpoint: try EndpointURL("\(Self.issuer)/authorize"),
      tokenEndpoint: try EndpointURL("\(Self.issuer)/token"))
    return OAuthClient(server: server, clientID: "notes", store: SmallStore(), transport: self)
  }

  /// The URL to which the server redirects the browser.
  static func response(to request: URL) -> URL? {
    let query = URLComponents(url: request, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let parameters = Dictionary(query.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    return URL(string: "\(parameters["redirect_uri"] ?? "")?code=code-1&state=\(parameters["state"] ?? "")")
  }

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    TransportResponse(
      head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
      body: Array(#"{"access_token":"access-1","token_type":"Bearer","expires_in":600}"#.utf8))
  }
}

/// A token store in memory. Its leases do not exclude each other.
final class SmallStore: TokenStore {
  private let values = Mutex<[TokenStoreKey: Secret<[UInt8]>]>([:])

  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    self.values.withLock { $0[key] }
  }

  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
    self.values.withLock { $0[key] = value }
  }

  func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
    self.values.withLock { $0[key] = nil }
  }

  func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
    try await body()
  }
}
