import Crypto

/// A PKCE code challenge (RFC 7636 §4.2). The method is always `S256`, and `plain` is not supported.
public struct CodeChallenge: Hashable, Sendable {
  /// The `code_challenge_method`.
  public static let method = "S256"

  /// The challenge: 43 characters of base64url without padding.
  public let value: String

  init(digest: SHA256.Digest) {
    self.value = Base64URL.encode(digest)
  }

  /// Creates a challenge from the parameters of a request.
  /// - Parameters:
  ///   - value: `code_challenge`.
  ///   - method: `code_challenge_method`. `nil` means `plain` (RFC 7636 §4.3) and is rejected.
  /// - Throws: ``PKCEError``
  public init(_ value: String, method: String?) throws(PKCEError) {
    guard method == Self.method else { throw .methodNotSupported }
    try self.init(stored: value)
  }

  /// Creates a challenge from its stored value.
  /// - Throws: ``PKCEError/challengeMalformed`` if the text is not the base64url encoding of 32 bytes.
  public init(stored value: String) throws(PKCEError) {
    guard Base64URL.decode(value)?.count == SHA256.byteCount else { throw .challengeMalformed }
    self.value = value
  }
}

/// Why a PKCE parameter was rejected.
public enum PKCEError: Error, Equatable, Sendable {
  case verifierMalformed
  case challengeMalformed
  case methodNotSupported
}
