public import HTTPTypes

/// The access token of a request and its authentication scheme (RFC 6750 §2.1, RFC 9449 §7.1). The token is read only
/// from the `Authorization` header field.
public struct PresentedAccessToken: Sendable {
  /// The authentication scheme of the token.
  public enum Scheme: String, Sendable, Equatable {
    case bearer = "Bearer"
    case dpop = "DPoP"
  }

  /// The access token.
  public let token: Secret<String>
  /// The scheme with which the token was sent.
  public let scheme: Scheme

  /// The maximum length of the field in bytes.
  private static let maximumLength = 16 << 10

  package init(token: Secret<String>, scheme: Scheme = .bearer) {
    self.token = token
    self.scheme = scheme
  }

  /// Reads the token of a request.
  /// - Parameter path: The request's path, including its query.
  /// - Returns: `nil` if the request has no credentials, or uses a scheme other than `Bearer` and `DPoP`.
  /// - Throws: ``PresentedTokenError`` if the credentials are ambiguous or malformed.
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

  /// Rejects a token in the query, even if the header field has one too. A URL ends up in logs and browser histories
  /// (RFC 9700 §4.3.2, OAuth 2.1 §5.1).
  private static func checkQuery(_ path: String) throws(PresentedTokenError) {
    guard let questionMark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
    let names = path.utf8[path.utf8.index(after: questionMark)...].split(separator: UInt8(ascii: "&")).map { pair in
      PercentEncoding.decodeForm(pair.prefix { $0 != UInt8(ascii: "=") })
    }
    guard !names.contains("access_token") else { throw .inQuery }
  }

  /// A character of `b64token` (RFC 6750 §2.1), which is `token68` in RFC 9110 §11.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    Base64URL.isInAlphabet(byte) || ".~+/=".utf8.contains(byte)
  }
}

/// Why a request's token could not be read. The response is `invalid_request` (RFC 6750 §3.1).
public enum PresentedTokenError: Error, Equatable, Sendable {
  /// The request has more than one `Authorization` field.
  case repeated
  /// The URL's query contains a token (RFC 6750 §2.3).
  case inQuery
  /// The field does not consist of a scheme and one token.
  case malformed
  /// The field is longer than 16 KiB.
  case tooLong
}
