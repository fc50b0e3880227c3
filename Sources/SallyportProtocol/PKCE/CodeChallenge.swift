import Crypto

/// A PKCE code challenge, RFC 7636 §4.2. Its method is always `S256`: there is no value of this type for `plain`.
public struct CodeChallenge: Hashable, Sendable {
  /// `code_challenge_method`, the only one offered and the only one accepted.
  public static let method = "S256"

  /// 43 characters of unpadded base64url.
  public let value: String

  init(digest: SHA256.Digest) {
    self.value = Base64URL.encode(digest)
  }

  /// The challenge of a request.
  /// - Parameters:
  ///   - value: `code_challenge`.
  ///   - method: `code_challenge_method`; its absence means `plain` (RFC 7636 §4.3) and is refused.
  /// - Throws: ``PKCEError``
  public init(_ value: String, method: String?) throws(PKCEError) {
    guard method == Self.method else { throw .methodNotSupported }
    try self.init(stored: value)
  }

  /// A challenge that was checked before it was stored.
  /// - Throws: ``PKCEError/challengeMalformed`` unless the text is the base64url of 32 bytes.
  public init(stored value: String) throws(PKCEError) {
    guard Base64URL.decode(value)?.count == SHA256.byteCount else { throw .challengeMalformed }
    self.value = value
  }
}

/// Why a PKCE parameter was refused.
public enum PKCEError: Error, Equatable, Sendable {
  case verifierMalformed
  case challengeMalformed
  case methodNotSupported
}
