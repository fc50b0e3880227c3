#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import Synchronization
import TestSupport

/// A simulated authorization server with a registration endpoint, which stores the registered clients.
final class FakeRegistrar: Sendable {
  static let url = "https://id.example/register"

  private struct State {
    var clients: [String: ClientMetadata] = [:]
    var count = 0
    var rejectedRedirectURI: (prefix: String, code: String)?
  }

  let fixture: SignInFixture
  private let state = Mutex(State())
  /// Changes each response that contains a registration.
  private let change: @Sendable (inout JSONValue) -> Void

  /// - Parameters:
  ///   - methods: The supported client authentication methods.
  ///   - manages: Whether clients can read, update, and delete their registrations (RFC 7592).
  ///   - acceptsDocuments: Whether the URL of a metadata document can be a client identifier.
  ///   - change: Changes each response that contains a registration.
  init(
    methods: [String]? = ["none", "client_secret_basic", "private_key_jwt"], manages: Bool = true,
    acceptsDocuments: Bool = false, change: @escaping @Sendable (inout JSONValue) -> Void = { _ in }
  ) throws {
    self.fixture = try SignInFixture { server in
      server.metadata.registrationEndpoint = Self.url
      server.metadata.tokenEndpointAuthMethodsSupported = methods
      server.metadata.clientIDMetadataDocumentSupported = acceptsDocuments
    }
    self.change = change
    self.fixture.transport.on(Self.url) { .success(self.register($0, manages: manages)) }
  }

  /// The prefix of the redirect URIs that the server rejects, and the error code of the response. If `nil`, the server
  /// rejects no redirect URI.
  var rejectedRedirectURI: (prefix: String, code: String)? {
    get { self.state.withLock(\.rejectedRedirectURI) }
    set { self.state.withLock { $0.rejectedRedirectURI = newValue } }
  }

  var registrations: [FakeTransport.RecordedRequest] { self.fixture.transport.requests(to: Self.url) }
  /// The metadata in the registration request with this index.
  func sentMetadata(_ index: Int = 0) throws -> ClientMetadata {
    try JSONDecoder().decode(ClientMetadata.self, from: Data(self.registrations[index].body))
  }

  /// Returns an object that registers an app's instance at this server.
  /// - Parameters:
  ///   - server: The app's configuration of this server, or `nil` for a configuration that contains only the issuer.
  ///   - store: The instance's token store, or `nil` for the store of the fixture.
  ///   - token: The initial access token, or `nil` if the app has none.
  func instance(
    _ metadata: ClientMetadata = ClientMetadata(native: "Notes"), at server: ServerConfiguration? = nil,
    store: MemoryTokenStore? = nil, token: String? = nil
  ) -> InstanceRegistration {
    InstanceRegistration(
      server: server ?? ServerConfiguration(issuer: self.fixture.server.issuer), metadata: metadata,
      store: store ?? self.fixture.store,
      transport: self.fixture.transport, initialAccessToken: token.map { Secret($0) }, now: self.fixture.clock.dates)
  }

  /// Removes a client, as if the server had lost its database.
  func forget(_ clientID: String) {
    self.state.withLock { $0.clients[clientID] = nil }
  }

  /// Responds to a registration request (RFC 7591).
  private func register(_ request: FakeTransport.RecordedRequest, manages: Bool) -> TransportResponse {
    guard let metadata = try? JSONDecoder().decode(ClientMetadata.self, from: Data(request.body)) else {
      return SignInFixture.error("invalid_client_metadata")
    }
    if let code = self.rejection(of: metadata) { return SignInFixture.error(code) }
    let clientID = self.state.withLock { state in
      state.count += 1
      state.clients["client-\(state.count)"] = metadata
      return "client-\(state.count)"
    }
    if manages { self.fixture.transport.on("\(Self.url)/\(clientID)") { .success(self.manage($0, clientID)) } }
    return self.response(clientID, metadata, manages: manages, status: .created)
  }

  /// Responds to a request that reads, updates, or deletes a registration (RFC 7592).
  private func manage(_ request: FakeTransport.RecordedRequest, _ clientID: String) -> TransportResponse {
    guard request.head.headerFields[.authorization] == "Bearer manage-\(clientID)",
      let metadata = self.state.withLock({ $0.clients[clientID] })
    else { return SignInFixture.error("invalid_token", status: .unauthorized) }
    switch request.head.method {
    case .delete:
      self.forget(clientID)
      return .body([], type: nil, status: .noContent)
    case .put:
      guard let new = try? JSONDecoder().decode(ClientMetadata.self, from: Data(request.body)) else {
        return SignInFixture.error("invalid_client_metadata")
      }
      if let code = self.rejection(of: new) { return SignInFixture.error(code) }
      self.state.withLock { $0.clients[clientID] = new }
      return self.response(clientID, new, manages: true, status: .ok)
    default: return self.response(clientID, metadata, manages: true, status: .ok)
    }
  }

  /// Returns the error code if the server rejects a redirect URI in the metadata, or `nil` if it rejects none.
  private func rejection(of metadata: ClientMetadata) -> String? {
    guard let (prefix, code) = self.rejectedRedirectURI else { return nil }
    return (metadata.redirectURIs ?? []).contains { $0.hasPrefix(prefix) } ? code : nil
  }

  private func response(
    _ clientID: String, _ metadata: ClientMetadata, manages: Bool, status: HTTPResponse.Status
  ) -> TransportResponse {
    var members: [String: JSONValue] = ["client_id": .string(clientID), "client_id_issued_at": 1]
    let method = metadata.tokenEndpointAuthMethod ?? "client_secret_basic"
    members["token_endpoint_auth_method"] = .string(method)
    members["redirect_uris"] = .array((metadata.redirectURIs ?? []).map { .string($0) })
    if method.hasPrefix("client_secret") {
      members["client_secret"] = .string("secret-\(clientID)")
      members["client_secret_expires_at"] = 0
    }
    if manages {
      members["registration_access_token"] = .string("manage-\(clientID)")
      members["registration_client_uri"] = .string("\(Self.url)/\(clientID)")
    }
    var response = JSONValue.object(members)
    self.change(&response)
    return .json(encoding: response, status: status)
  }
}
