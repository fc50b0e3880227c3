import FoundationEssentials
import Glibc
import SallyportProtocol
import SallyportRemote
import SallyportServer

/// Reports settings that are allowed but risky, and a mail command that cannot be run.
struct SettingsCheckup {
  let settings: ServerSettings

  /// Whether a program exists and is executable. A name without a slash is searched for on `PATH`.
  private static func isExecutable(_ program: String) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  func findings() -> [Finding] {
    let server = self.settings.server
    var findings: [Finding] = []
    if !server.issuer.isHTTPS {
      findings.append(
        .warning("settings", "the issuer \(server.issuer) uses http, which is only for development on this machine"))
    }
    // An IP address is allowed (RFC 8414 §2), and certificates for IP addresses exist. But the issuer cannot be changed
    // later.
    if server.issuer.isHTTPS, IPAddress(host: server.issuer.host) != nil {
      findings.append(
        .warning(
          "settings",
          "the issuer \(server.issuer) has an IP address instead of a host name; the server cannot move to another address later")
      )
    }
    if server.issuer.isHTTPS, self.settings.tls == nil, !["127.0.0.1", "::1", "localhost"].contains(self.settings.host) {
      findings.append(
        .warning(
          "settings",
          "the server accepts plain HTTP on \(self.settings.host), which other machines may reach; allow connections only from the proxy that terminates TLS"
        ))
    }
    if server.allowsAnyLocalhostPort {
      findings.append(
        .warning(
          "settings",
          "redirect URIs on localhost match on any port (redirects.any-localhost-port); use 127.0.0.1 and [::1] instead (RFC 8252 §8.3)"
        ))
    }
    if server.registration.allowsDeviceGrant, server.registration.mode != .off || server.registration.acceptsDocuments {
      findings.append(
        .warning(
          "settings",
          "apps that register themselves can use the device grant (registration.device), which makes phishing easy (RFC 8628 §5.4)"
        ))
    }
    if server.mail != nil, let program = self.settings.mailCommand.first, !Self.isExecutable(program) {
      findings.append(
        .problem("settings", "the mail command \(program) does not exist or is not executable; install it, or set mail.command"))
    }
    return Finding.list("settings", findings, otherwise: "issuer \(server.issuer)")
  }
}
