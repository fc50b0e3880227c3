import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote

/// A glewlwyd server, with a SQLite database, an OpenID Connect plugin that requires PKCE, a user, and a client.
/// Glewlwyd is an OpenID provider that is written in C.
struct Glewlwyd: Sendable {
  let origin: String
  let transport: AsyncHTTPClientTransport

  var issuer: String { "\(self.origin)/api/oidc" }

  static let account = ServerHome.Account()

  /// Creates the configuration and the database, and starts the server.
  static func start(folder: String, port: UInt16) async throws -> ChildProcess {
    let database = try await run(
      ChildCommand("/usr/bin/sqlite3", ["\(folder)/database"], input: Array(self.schema.utf8)), folder: folder)
    guard database.status == .exited(0) else { throw UnexpectedResult("sqlite3: \(database)") }
    let file = "\(folder)/glewlwyd.conf"
    try self.configuration(folder: folder, port: port).write(toFile: file, atomically: true, encoding: .utf8)
    let command = ChildCommand("\(Peers.glewlwyd)/bin/glewlwyd", ["--config-file=\(file)"])
    return try await Peers.start(command, folder: folder, at: "http://localhost:\(port)/api/")
  }

  /// The database schema from glewlwyd's package. It creates the administrator "admin" with the password "password".
  private static var schema: String {
    get throws {
      try String(contentsOfFile: "\(Peers.glewlwyd)/share/dbconfig-common/data/glewlwyd/install/sqlite3", encoding: .utf8)
    }
  }

  private static func configuration(folder: String, port: UInt16) -> String {
    """
    port=\(port)
    bind_address="127.0.0.1"
    external_url="http://localhost:\(port)"
    login_url="login.html"
    api_prefix="api"
    log_mode="console"
    log_level="INFO"
    cookie_secure=0
    session_expiration=3600
    session_key="GLEWLWYD2_SESSION_ID"
    admin_scope="g_admin"
    profile_scope="g_profile"
    user_module_path="\(Peers.glewlwyd)/lib/glewlwyd/user"
    client_module_path="\(Peers.glewlwyd)/lib/glewlwyd/client"
    user_auth_scheme_module_path="\(Peers.glewlwyd)/lib/glewlwyd/scheme"
    plugin_module_path="\(Peers.glewlwyd)/lib/glewlwyd/plugin"
    use_secure_connection=false
    secure_connection_key_file="none"
    secure_connection_pem_file="none"
    secure_connection_ca_file="none"
    hash_algorithm="SHA512"
    database = { type = "sqlite3" path = "\(folder)/database" };

    """
  }

  /// Signs in as the administrator, and creates the plugin, the scopes, the user, and the client.
  func configure(clientID: String, redirectURI: String, folder: String) async throws {
    let administrator = try await self.authenticate("admin", "password")
    let key = try await Self.openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout"], folder)
    let privateKey = try await Self.openssl(["pkcs8", "-topk8", "-nocrypt"], folder, input: key)
    let publicKey = try await Self.openssl(["ec", "-pubout"], folder, input: key)
    try await self.call(.post, "/api/mod/plugin", Plugin(issuer: self.issuer, key: privateKey, cert: publicKey), administrator)
    for scope in ["profile", "email", "offline_access"] {
      try await self.call(.post, "/api/scope", Scope(name: scope, displayName: scope), administrator)
    }
    try await self.call(.post, "/api/user", User(username: Self.account.name, password: Self.account.password), administrator)
    try await self.call(
      .post, "/api/client", Client(clientId: clientID, name: clientID, redirectUri: [redirectURI]), administrator)
  }

  /// Signs the user in, grants the scopes, and continues the authorization request, as glewlwyd's pages do.
  /// - Returns: The redirect URI with the authorization response.
  func authorize(_ url: String, clientID: String) async throws -> String {
    let cookie = try await self.authenticate(Self.account.name, Self.account.password)
    try await self.call(.put, "/api/auth/grant/\(clientID)", Grant(scope: TestClient.scope), cookie)
    var request = HTTPRequest.get(try EndpointURL(url + "&g_continue"), accept: "text/html")
    request.headerFields[.cookie] = cookie
    let response = try await self.transport.send(request, body: [], limits: .document)
    guard let location = response.head.headerFields[.location] else { throw UnexpectedResult("glewlwyd: \(response.head)") }
    return location
  }

  /// Signs in to glewlwyd.
  /// - Returns: The session cookie.
  private func authenticate(_ username: String, _ password: String) async throws -> String {
    let response = try await self.call(.post, "/api/auth", Credentials(username: username, password: password), nil)
    guard let cookie = response.headerFields[.setCookie] else { throw UnexpectedResult("glewlwyd: no session for \(username)") }
    return String(cookie.prefix { $0 != ";" })
  }

  @discardableResult
  private func call(
    _ method: HTTPRequest.Method, _ path: String, _ body: some Encodable, _ cookie: String?
  ) async throws -> HTTPResponse {
    let url = try EndpointURL(self.origin + path)
    var request = HTTPRequest(method: method, scheme: "http", authority: url.authority, path: url.pathAndQuery)
    request.headerFields[.contentType] = "application/json"
    request.headerFields[.cookie] = cookie
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let response = try await self.transport.send(request, body: Array(encoder.encode(body)), limits: .document)
    guard response.head.status == .ok else {
      throw UnexpectedResult(
        "glewlwyd: \(method) \(path): \(response.head.status) \(String(decoding: response.body, as: UTF8.self))")
    }
    return response.head
  }

  private static func openssl(_ arguments: [String], _ folder: String, input: String = "") async throws -> String {
    let finished = try await run(ChildCommand("/usr/bin/openssl", arguments, input: Array(input.utf8)), folder: folder)
    guard finished.status == .exited(0) else { throw UnexpectedResult("openssl \(arguments): \(finished)") }
    return finished.output
  }
}
