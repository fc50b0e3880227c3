public import SallyportProtocol

/// What an authorization server said when it refused: RFC 6749 §4.1.2.1 and §5.2.
///
/// Both texts come from the network, or from whoever made a callback URL, so they are bounded and hold nothing that a terminal,
/// a log or a page would act on.
public struct ServerRefusal: Error, Equatable, Sendable {
  public let code: OAuthErrorCode
  /// The server's words for a developer; nil where there were none.
  public let description: String?

  /// - Parameter secrets: texts that the server might repeat, and which do not belong in an error.
  package init(error: String, description: String?, hiding secrets: [Secret<String>] = []) {
    // Blanks go first, so that what they kept apart is recognised as well.
    let code = Self.bounded(error.filter { !$0.isWhitespace }, to: 64, hiding: secrets)
    self.code = OAuthErrorCode(code.isEmpty ? "unknown_error" : code)
    let text = description.map { Self.bounded($0, to: 256, hiding: secrets) }
    self.description = text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func bounded(_ text: String, to length: Int, hiding secrets: [Secret<String>]) -> String {
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

  /// Controls, line separators, and the invisible format characters that turn or hide text.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
