public import HTTPTypes

/// The access token of a request and how it came, RFC 6750 §2.1 and RFC 9449 §7.1: in the one `Authorization` field, and nowhere else.
public struct PresentedAccessToken: Sendable {
  /// The authentication scheme that the token came with.
  public enum Scheme: String, Sendable, Equatable {
    case bearer = "Bearer"
    case dpop = "DPoP"
  }

  public let token: Secret<String>
  public let scheme: Scheme

  /// What is read of a field, in bytes.
  private static let maximumLength = 16 << 10

  package init(token: Secret<String>, scheme: Scheme = .bearer) {
    self.token = token
    self.scheme = scheme
  }

  /// Reads the token of a request.
  /// - Parameter path: the request's path with its query.
  /// - Returns: nil where the request has none, or another kind of credentials.
  /// - Throws: ``PresentedTokenError`` for what could be read in two ways.
  public init?(_ fields: HTTPFields, path: String?) throws(PresentedTokenError) {
    try Self.checkQuery(path ?? "")
    let values = fields[values: .authorization]
    guard values.count <= 1 else { throw .repeated }
    guard let value = values.first else { return nil }
    guard value.utf8.count <= Self.maximumLength else { throw .tooLong }
    guard AuthorizationToken.scheme(of: value) != nil else { return nil }
    guard let presented = AuthorizationToken(value), presented.token.reveal().utf8.allSatisfy(Self.isTokenCharacter) else {
      throw .malformed
    }
    self.init(token: presented.token, scheme: presented.scheme)
  }

  /// RFC 9700 §4.3.2 and OAuth 2.1 §5.1: a token in a URL has been in logs and histories already; none is taken from there, with or without
  /// another one in the header.
  private static func checkQuery(_ path: String) throws(PresentedTokenError) {
    guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
    let names = path.utf8[path.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&")).map { pair in
      PercentEncoding.decodeForm(pair.prefix { $0 != UInt8(ascii: "=") })
    }
    guard !names.contains("access_token") else { throw .inQuery }
  }

  /// `b64token` of RFC 6750 §2.1, which is `token68` of RFC 9110 §11.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    Base64URL.isInAlphabet(byte) || ".~+/=".utf8.contains(byte)
  }
}

/// Why a request's token was not even read: `invalid_request`, RFC 6750 §3.1.
public enum PresentedTokenError: Error, Equatable, Sendable {
  /// More than one `Authorization` field.
  case repeated
  /// A token in the URL's query, RFC 6750 §2.3.
  case inQuery
  /// The field is not a scheme and one token.
  case malformed
  case tooLong
}
