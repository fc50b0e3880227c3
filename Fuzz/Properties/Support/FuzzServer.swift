import SallyportProtocol
import SallyportServer

/// An authorization server with four clients of different kinds.
struct FuzzServer: Sendable {
  /// Ends with "K". Some stored inputs contain U+212A (the Kelvin sign) in its place. Swift's `==` treats the two
  /// characters as equal, because they are canonically equivalent, but the server must reject these inputs.
  static let issuer = "https://as.example/K"
  /// The identifier of the client that signs its assertions and request objects. It ends with "K" for the same reason
  /// as the issuer.
  static let signer = "signerK"
  /// The secret of the client `web`.
  static let secret = "s3cret"

  let server: AuthorizationServer
  let clients: [ClientRecord]
  /// The key that signs the server's ID tokens.
  let key: SigningKey

  static let shared = Self()

  private init?() {
    guard let issuer = try? Issuer(Self.issuer), let masterKey = MasterKey(Secret([UInt8](repeating: 7, count: MasterKey.size))),
      let key = try? SigningKey.generate(.es256),
      let record = try? KeySealer(masterKey).record(of: key, createdAt: FuzzKeys.now, activeAt: FuzzKeys.now - .seconds(3600))
    else { return nil }
    let clients = Self.makeClients()
    self.clients = clients
    self.key = key
    self.server = AuthorizationServer(
      configuration: ServerConfiguration(issuer: issuer),
      store: FuzzStore(state: FuzzState(registeredClients: clients, keys: [record])), masterKey: masterKey, hasher: NoPasswords(),
      now: { FuzzKeys.now })
  }

  private static func makeClients() -> [ClientRecord] {
    func uris(_ texts: [String]) -> [RedirectURI] { texts.compactMap { try? RedirectURI($0) } }
    let now = FuzzKeys.now
    var web = ClientRecord(
      id: ClientID(rawValue: "web"), name: "Web", type: .confidential, applicationType: .web,
      redirectURIs: uris(["https://web.example/cb?x=1"]), scope: "openid email",
      secretFingerprint: Fingerprint(of: Secret(self.secret)), createdAt: now)
    web.details.postLogoutRedirectURIs = ["https://web.example/bye"]
    return [
      ClientRecord(
        id: ClientID(rawValue: "notes"), name: "Notes", type: .public, applicationType: .native,
        redirectURIs: uris(["http://127.0.0.1/cb", "http://[::1]/cb", "com.example.notes:/cb", "https://notes.example/cb"]),
        scope: "openid profile offline_access", createdAt: now),
      web,
      ClientRecord(
        id: ClientID(rawValue: self.signer), name: "Signer", type: .confidential, applicationType: .web,
        redirectURIs: uris(["https://signer.example/cb"]), scope: "openid profile", authenticationMethod: .privateKeyJWT,
        keys: .inline(FuzzKeys.jwks), grantTypes: [.authorizationCode, .clientCredentials], createdAt: now),
      ClientRecord(
        id: ClientID(rawValue: "dynamic"), name: "Dynamic", type: .public, applicationType: .native, origin: .dynamic,
        redirectURIs: uris(["http://127.0.0.1/cb"]), scope: "openid", createdAt: now),
    ]
  }
}

/// A hasher that accepts no password, because no user signs in.
private struct NoPasswords: PasswordHasher {
  func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String { throw .overloaded }
  func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool { false }
  func needsRehash(_ hash: String) -> Bool { false }
}
