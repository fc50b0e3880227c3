/// What is wrong with one member of a client's metadata.
public enum ClientMetadataProblem: Equatable, Sendable {
  /// The member does not have the JSON type that its specification requires.
  case wrongType
  /// The text is blank, or longer than the maximum number of bytes.
  case length(maximum: Int)
  /// The list has more entries than the maximum number.
  case count(maximum: Int)
  /// The text contains a control character, a line or paragraph separator, an invisible formatting character, a
  /// private-use character, or an unassigned code point.
  case unreadable
  /// The member's name contains a malformed language tag, as in `client_name#`.
  case languageTag
  /// The value is not an `https` URL, or has a fragment or user information. `http` is allowed on a loopback address.
  case notEndpoint
  /// The URL doesn't use `https`, which this member requires even on a loopback address.
  case notHTTPS
  /// The URL has a loopback or private address, which is not allowed in a URL that the server requests.
  case privateAddress
  /// The value is not supported. The associated value contains the supported values.
  case unsupported([String])
  /// The text contains a character that is not allowed in a scope (RFC 6749 §3.3).
  case scopeSyntax
  case negative
  /// The number is larger than the maximum.
  case tooLarge(maximum: Int)
  /// The list contains a value that is not a redirect URI, or that is not allowed for the client's application type.
  case notRedirectURI
  /// The member is missing, although another member requires it.
  case requiredBy(String)
  /// The member is present together with another member that excludes it.
  case excludedBy(String)
  /// The value is not a JWK Set with one to eight public keys (RFC 7517).
  case keySet

  /// The rule, as the predicate of a sentence whose subject is the member's name. Contains no values of the request.
  public var rule: String {
    switch self {
    case .wrongType: "has the wrong JSON type"
    case .length(let maximum): "must not be blank and must be at most \(maximum) bytes long"
    case .count(let maximum): "must have at most \(maximum) entries"
    case .unreadable:
      "must not contain control characters, line or paragraph separators, invisible formatting characters, private-use characters, or "
        + "unassigned code points"
    case .languageTag: "must have a valid language tag after \"#\""
    case .notEndpoint: "must be an https URL without a fragment or user information (http is allowed on a loopback address only)"
    case .notHTTPS: "must be an https URL"
    case .privateAddress: "must not be on a loopback or private address"
    case .unsupported(let values): "must be \(Self.list(values))"
    case .scopeSyntax: "must be scope values separated by single spaces"
    case .negative: "must not be negative"
    case .tooLarge(let maximum): "must be at most \(maximum)"
    case .notRedirectURI: "must contain only URIs that are allowed as redirect URIs for this application type"
    case .requiredBy(let other): "is required by \(other)"
    case .excludedBy(let other): "must not be present together with \(other)"
    case .keySet: "must be a JWK Set with one to eight public keys"
    }
  }

  private static func list(_ values: [String]) -> String {
    let quoted = values.map { "\"\($0)\"" }
    return quoted.count < 2 ? quoted.joined() : quoted.dropLast().joined(separator: ", ") + " or \(quoted[quoted.count - 1])"
  }
}
