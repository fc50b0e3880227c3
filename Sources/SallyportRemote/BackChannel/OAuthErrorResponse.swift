public import SallyportProtocol

/// An error response of the authorization server (RFC 6749 §4.1.2.1 and §5.2).
///
/// The code and the description come from the network or from a callback URL that anyone can create. They are therefore
/// limited in length, and contain no control characters and no invisible characters that reorder or hide text. A page
/// must still escape them.
public struct OAuthErrorResponse: Error, Equatable, Sendable {
  /// The error code. If the server's code contains no visible character, this is `unknown_error`.
  public let code: OAuthErrorCode
  /// The server's description for developers, or `nil` if there is none.
  public let description: String?

  /// - Parameter secrets: Values that are replaced by `<redacted>` if the server repeats them.
  package init(error: String, description: String?, redacting secrets: [Secret<String>] = []) {
    // Remove whitespace first, so that a secret is recognized even if whitespace splits it.
    let code = Self.bounded(error.filter { !$0.isWhitespace }, to: 64, redacting: secrets)
    self.code = OAuthErrorCode(code.isEmpty ? "unknown_error" : code)
    let text = description.map { Self.bounded($0, to: 256, redacting: secrets) }
    self.description = text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Removes unsafe characters, replaces the secrets, and shortens the text to `length` characters.
  private static func bounded(_ text: String, to length: Int, redacting secrets: [Secret<String>]) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(4096) where !self.isUnsafe(scalar) {
      scalars.append(scalar)
    }
    var safe = String(scalars)
    for secret in secrets.map({ $0.reveal() }) where !secret.isEmpty {
      safe = safe.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "<redacted>")
    }
    return String(safe.prefix(length))
  }

  /// Whether a scalar is a control character, a line separator, an invisible character that can reorder or hide text,
  /// or a character without a defined meaning.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
