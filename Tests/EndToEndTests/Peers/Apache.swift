import BrowserDriver
import Foundation

/// An Apache server with mod_auth_openidc and a page that only signed-in users can open.
struct Apache: Sendable {
  /// How mod_auth_openidc authenticates at the token endpoint.
  enum Authentication: String {
    case secret = "client_secret_basic"
    case key = "private_key_jwt"
  }

  static let clientID = "apache"
  static let secret = "a-secret-of-the-web-app-made-for-one-test"

  let folder: String
  let port: UInt16
  /// The port without TLS. Our server sends logout tokens to this port, because our server does not trust Apache's
  /// certificate.
  let plainPort: UInt16
  let authentication: Authentication
  /// The SHA-256 digest of Apache's public key, in Base64. The browser trusts the key with this digest.
  let keyDigest: String

  var origin: String { "https://localhost:\(self.port)" }
  var redirectURI: String { "\(self.origin)/oidc/callback" }
  /// The URL of the page that the browser shows after the sign-out.
  var signedOut: String { "\(self.origin)/signed-out.html" }
  /// The URL of the page for signed-in users.
  var page: String { "\(self.origin)/app/" }

  /// The URL to which our server sends logout tokens.
  var backChannel: String { "http://localhost:\(self.plainPort)/oidc/callback?logout=backchannel" }

  /// The URL at which mod_auth_openidc signs the user out.
  var logout: String {
    "\(self.redirectURI)?logout=\(self.signedOut.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
  }

  /// The options for `sallyportd client add`.
  var registration: [String] {
    ["--client-id", Self.clientID, "--name", "Web notes", "--type", "web"]
      + ["--redirect-uri", self.redirectURI, "--post-logout-redirect-uri", self.signedOut]
      + ["--backchannel-logout-uri", self.backChannel]
      + (self.authentication == .secret
        ? ["--secret-from-stdin"] : ["--auth-method", self.authentication.rawValue, "--jwks", "\(self.folder)/jwks.json"])
  }

  /// Creates a certificate, the client's key pair, and the pages.
  static func prepare(folder: String, _ authentication: Authentication) async throws -> Apache {
    let script = """
      set -e; cd "$0"; mkdir -p site/app run
      openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
        -keyout key.pem -out certificate.pem
      openssl x509 -in certificate.pem -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary |
        base64 > key.sha256
      openssl genrsa -out client.pem 2048
      openssl rsa -in client.pem -pubout -out client.pub
      "$1" -c "import json; from joserfc.jwk import RSAKey; key = RSAKey.import_key(open('client.pub').read(), {'kid': 'key-1'}); \
        print(json.dumps({'keys': [key.as_dict(private=False)]}))" > jwks.json
      printf '<p id="user"><!--#echo var="REMOTE_USER" --></p><p id="token"><!--#echo var="OIDC_access_token" --></p>' \
        > site/app/index.shtml
      printf '<p id="bye">Signed out of the web app.</p>' > site/signed-out.html
      chmod 711 . && chmod -R a+rX site
      """
    let result = try await run(ChildCommand("/bin/sh", ["-c", script, folder, Peers.python]), folder: folder)
    guard result.status == .exited(0) else { throw UnexpectedResult("openssl: \(result)") }
    let digest = try String(contentsOfFile: "\(folder)/key.sha256", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return Apache(
      folder: folder, port: try freePort(), plainPort: try freePort(), authentication: authentication, keyDigest: digest)
  }

  /// Starts Apache for one of our servers.
  func start(issuer: String) async throws -> ChildProcess {
    let file = "\(self.folder)/apache.conf"
    try self.configuration(issuer: issuer).write(toFile: file, atomically: true, encoding: .utf8)
    let command = ChildCommand("\(Peers.apache)/sbin/apache2", ["-f", file, "-D", "FOREGROUND"])
    return try await Peers.start(command, folder: self.folder, at: "http://localhost:\(self.plainPort)/signed-out.html")
  }

  private func configuration(issuer: String) -> String {
    let modules = [
      "mpm_event", "authn_core", "authz_core", "authz_user", "dir", "mime", "include", "filter", "ssl", "auth_openidc",
    ]
    let loaded = modules.map { "LoadModule \($0)_module \(Peers.apache)/lib/apache2/modules/mod_\($0).so" }
    return """
      \(loaded.joined(separator: "\n"))
      ServerRoot "\(self.folder)"
      DefaultRuntimeDir "\(self.folder)/run"
      PidFile "\(self.folder)/run/apache.pid"
      ServerName localhost
      Listen 127.0.0.1:\(self.port)
      Listen 127.0.0.1:\(self.plainPort)
      # Apache uses these two lines only if root starts it.
      User www-data
      Group www-data
      StartServers 1
      ErrorLog /dev/stderr
      LogLevel notice auth_openidc:info
      TypesConfig /dev/null
      AddType text/html .html .shtml
      AddOutputFilter INCLUDES .shtml
      DirectoryIndex index.shtml
      DocumentRoot "\(self.folder)/site"
      <VirtualHost 127.0.0.1:\(self.port)>
        SSLEngine on
        SSLCertificateFile "\(self.folder)/certificate.pem"
        SSLCertificateKeyFile "\(self.folder)/key.pem"
      </VirtualHost>
      <VirtualHost 127.0.0.1:\(self.plainPort)>
      </VirtualHost>
      OIDCProviderMetadataURL \(issuer)/.well-known/openid-configuration
      OIDCClientID \(Self.clientID)
      \(self.authentication == .secret ? "OIDCClientSecret \(Self.secret)" : "")
      # The keys must precede the authentication method, because private_key_jwt is valid only with keys.
      OIDCPublicKeyFiles "key-1#\(self.folder)/client.pub"
      OIDCPrivateKeyFiles "key-1#\(self.folder)/client.pem"
      OIDCProviderTokenEndpointAuth \(self.authentication.rawValue)
      OIDCRedirectURI \(self.redirectURI)
      OIDCCryptoPassphrase \(UUID().uuidString)
      OIDCScope "openid profile email offline_access"
      OIDCPKCEMethod S256
      OIDCRemoteUserClaim preferred_username
      # The access tokens of our server are valid for 600 seconds, so each view of the page refreshes them.
      OIDCRefreshAccessTokenBeforeExpiry 600
      <Directory "\(self.folder)/site">
        Options +Includes
        Require all granted
      </Directory>
      <Location "/app">
        AuthType openid-connect
        Require valid-user
      </Location>
      <Location "/oidc">
        AuthType openid-connect
        Require valid-user
      </Location>

      """
  }
}
