import SallyportProtocol

/// A request from git to a credential helper; see gitcredentials(7) and git-credential(1).
struct GitCredentialRequest {
  private let attributes: [(name: String, value: String)]

  /// The maximum size of a request, in bytes.
  static let maximumSize = 64 << 10

  /// Parses `name=value` lines up to an empty line or the end.
  /// - Parameter input: The request, or `nil` if it could not be read or is larger than ``maximumSize``.
  /// - Returns: `nil` if a line is malformed, or if `input` is `nil`.
  init?(_ input: [UInt8]?) {
    guard let input else { return nil }
    var attributes: [(name: String, value: String)] = []
    for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      guard let text = String(validating: line, as: UTF8.self), let equals = text.firstIndex(of: "=") else { return nil }
      attributes.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    }
    self.attributes = attributes
  }

  /// Whether the request is for one of these hosts, over a connection that is safe for a token (rule C-34).
  func isFor(_ hosts: [String]) -> Bool {
    guard let host = self.value("host")?.lowercased(), hosts.contains(where: { $0.lowercased() == host }) else { return false }
    switch self.value("protocol") {
    case "https": return true
    // `EndpointURL` accepts `http` only for a loopback host.
    case "http": return (try? EndpointURL("http://\(host)/")) != nil
    default: return false
    }
  }

  /// The URL of the request's host, or `nil` if a token must not be sent there.
  var origin: EndpointURL? {
    guard let scheme = self.value("protocol"), let host = self.value("host") else { return nil }
    return try? EndpointURL("\(scheme)://\(host)/")
  }

  /// The token that the host rejected, or `nil` if the request contains no token.
  var rejectedToken: Secret<String>? { (self.value("password") ?? self.value("credential")).map { Secret($0) } }

  /// The response: a bearer token if git supports it (version 2.46 or later), otherwise a password.
  func response(username: String, token: Secret<String>, expiration: Timestamp?) -> String {
    let supportsAuthtype = self.attributes.contains { $0.name == "capability[]" && $0.value == "authtype" }
    var lines: [String] = []
    if supportsAuthtype {
      // `ephemeral` asks git not to store the token.
      lines = ["capability[]=authtype", "authtype=Bearer", "credential=\(token.reveal())", "ephemeral=1"]
    } else {
      lines = ["username=\(username)", "password=\(token.reveal())"]
    }
    if let expiration { lines.append("password_expiry_utc=\(expiration.seconds)") }
    return lines.joined(separator: "\n")
  }

  /// The value of an attribute, or `nil` if it is missing. If it is repeated, the last value counts, as in git.
  private func value(_ name: String) -> String? {
    self.attributes.last { $0.name == name }?.value
  }
}
