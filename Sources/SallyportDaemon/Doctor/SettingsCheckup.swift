import SallyportProtocol
import SallyportRemote
import SallyportServer

/// Warns about settings that are allowed but risky.
struct SettingsCheckup {
  let settings: ServerSettings

  func findings() -> [Finding] {
    let server = self.settings.server
    var found: [Finding] = []
    if !server.issuer.isHTTPS {
      found.append(.warning("settings", "the issuer \(server.issuer) is http: for this machine alone, for development"))
    }
    // An address is allowed (RFC 8414 §2), and certificates for addresses exist. But the issuer cannot be changed
    // later.
    if server.issuer.isHTTPS, IPAddress(host: server.issuer.host) != nil {
      found.append(
        .warning("settings", "the issuer \(server.issuer) is an address and no name: the server can never move to another one"))
    }
    if server.issuer.isHTTPS, self.settings.tls == nil, !["127.0.0.1", "::1", "localhost"].contains(self.settings.host) {
      found.append(
        .warning(
          "settings",
          "plain HTTP at \(self.settings.host), where more than this machine may reach it: let only the proxy that ends TLS connect"
        ))
    }
    if server.allowsAnyLocalhostPort {
      found.append(
        .warning("settings", "redirects on the name localhost match on any port (redirects.any-localhost-port, RFC 8252 §8.3)"))
    }
    if server.registration.allowsDeviceGrant, server.registration.mode != .off || server.registration.acceptsDocuments {
      found.append(
        .warning(
          "settings",
          "apps that register themselves can use the device grant (registration.device), which makes phishing easy (RFC 8628 §5.4)"
        ))
    }
    return Finding.list("settings", found, otherwise: "issuer \(server.issuer)")
  }
}
