import Crypto
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import HTTPTypes
public import SallyportProtocol
public import SallyportRemote
import Synchronization

/// An OpenID Connect authorization server and the app's API, both in memory, for unit tests and previews.
///
/// The server is the transport of the clients that ``client(id:store:tokenOrigins:)`` creates. The app's own code
/// therefore runs without a network: the SDK reads metadata, uses PKCE, and verifies signed ID tokens as it does with a
/// real server. The server's clock stands still until a test calls ``advance(by:)``.
///
/// ```swift
/// import SallyportTesting
///
/// let server = FakeAuthorizationServer(claims: ["sub": "ada", "name": "Ada Lovelace"])
/// let session = server.session()
/// server.advance(by: .seconds(3600))
/// server.refreshes = .fail(.invalidGrant)
/// do {
///   _ = try await session.accessToken()
/// } catch .signInRequired(let requirement) {
///   print(requirement.explanation)
/// }
/// ```
public final class FakeAuthorizationServer: Transport {
  /// How the server responds to refresh requests.
  public enum RefreshBehavior: Hashable, Sendable {
    /// Returns new tokens.
    case succeed
    /// The device is offline: all requests fail, including those that are not refresh requests.
    case offline
    /// Responds with the status 503.
    case unavailable
    /// Responds with this error. With `invalidGrant`, the session ends as soon as its access token has expired. With
    /// `interactionRequired`, the session is kept, but the user must sign in again.
    case fail(OAuthErrorCode)
  }

  /// Responds to a request to the app's API. The access token in the request was already checked.
  public typealias API = @Sendable (_ request: HTTPRequest, _ body: [UInt8]) -> TransportResponse

  struct State {
    var claims: [String: JSONValue]
    var tokenLifetime: Duration
    var refreshes = RefreshBehavior.succeed
    var now: Timestamp
    /// The parameters of the authorization requests, keyed by the code.
    var codes: [String: FormParameters] = [:]
    var grants: [FakeGrant] = []
    /// The number of the last code or token, which makes each of them unique.
    var counter = 0
  }

  /// The server's issuer identifier.
  public let issuer: Issuer
  let key = P256.Signing.PrivateKey()
  let api: API
  let state: Mutex<State>

  /// Creates a server with one user.
  /// - Parameters:
  ///   - issuer: The issuer identifier, or `nil` for `https://id.example`. All other origins belong to the app's API.
  ///   - claims: The claims about the user in ID tokens and UserInfo responses. The server adds the claims of the
  ///     protocol, such as `iss` and `exp`, to ID tokens.
  ///   - tokenLifetime: The lifetime of access tokens.
  ///   - now: The time of the server's clock, which stands still until ``advance(by:)`` is called.
  ///   - api: Responds to requests to the app's API that contain a valid access token. By default, the response has the
  ///     status 404. The server responds to all other requests to the API with the status 401.
  public init(
    issuer: Issuer? = nil, claims: [String: JSONValue] = ["sub": "ada"], tokenLifetime: Duration = .seconds(600),
    now: Date = Date(timeIntervalSince1970: 1_800_000_000),
    api: @escaping API = { _, _ in TransportResponse(head: HTTPResponse(status: .notFound), body: []) }
  ) {
    guard let issuer = issuer ?? (try? Issuer("https://id.example")) else { preconditionFailure("the default issuer is invalid") }
    self.issuer = issuer
    self.api = api
    self.state = Mutex(State(claims: claims, tokenLifetime: tokenLifetime, now: Timestamp(now)))
  }

  /// The claims about the user in the ID tokens and UserInfo responses from now on.
  public var claims: [String: JSONValue] {
    get { self.state.withLock { $0.claims } }
    set { self.state.withLock { $0.claims = newValue } }
  }

  /// The lifetime of the access tokens that are issued from now on.
  public var tokenLifetime: Duration {
    get { self.state.withLock { $0.tokenLifetime } }
    set { self.state.withLock { $0.tokenLifetime = newValue } }
  }

  /// How the server responds to refresh requests from now on.
  public var refreshes: RefreshBehavior {
    get { self.state.withLock { $0.refreshes } }
    set { self.state.withLock { $0.refreshes = newValue } }
  }

  /// The time of the server and of its clients.
  public var now: Date { self.state.withLock { $0.now.date } }

  /// Moves the clock of the server and of its clients forward.
  public func advance(by duration: Duration) {
    self.state.withLock { $0.now = $0.now + duration }
  }

  /// Revokes all tokens, as if the user had removed the app's access at the server.
  public func revokeAll() {
    self.state.withLock { $0.grants = [] }
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    if self.refreshes == .offline { throw .unreachable(reason: "The device is offline.") }
    let origin = "\(request.scheme ?? "")://\(request.authority ?? "")"
    guard origin == self.issuer.origin else {
      return self.hasValidToken(request) ? self.api(request, body) : self.unauthorized
    }
    let parts = (request.path ?? "").split(separator: "?", maxSplits: 1)
    let encoded = request.method == .get ? parts.dropFirst().first ?? "" : Substring(String(decoding: body, as: UTF8.self))
    guard let form = try? FormParameters(parsing: encoded, repeatable: ["resource"]) else {
      return self.error(.invalidRequest)
    }
    return self.response(to: request, at: origin + (parts.first ?? ""), form)
  }
}
