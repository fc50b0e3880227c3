import Crypto
import SallyportProtocol

/// The secret of a refresh token's successor, sealed so that it can be returned again to a client that lost the
/// response.
///
/// The key is derived from the replaced token, which the store does not contain. Neither the database nor the server's
/// keys reveal a successor.
struct RefreshTokenSuccessor: Sendable {
  let secret: OpaqueToken
  let fingerprint: Fingerprint
  let sealed: [UInt8]

  private static var context: String { "refresh token successor" }

  /// Creates a new successor of `predecessor`.
  init(of predecessor: RefreshToken) throws(TokenError) {
    self.secret = OpaqueToken.random(.refreshToken)
    self.fingerprint = self.secret.fingerprint
    do { self.sealed = try Self.sealer(under: predecessor).seal(self.secret.text.reveal().utf8, context: Self.context) } catch {
      throw .sealing
    }
  }

  /// Returns the secret that was sealed under `predecessor`.
  static func open(_ sealed: [UInt8], under predecessor: RefreshToken) throws(TokenError) -> OpaqueToken {
    guard let text = try? self.sealer(under: predecessor).open(sealed, context: self.context),
      let secret = OpaqueToken(.refreshToken, String(decoding: text, as: UTF8.self))
    else { throw .sealing }
    return secret
  }

  private static func sealer(under predecessor: RefreshToken) -> Sealer {
    Sealer(
      key: HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: Array(predecessor.secret.text.reveal().utf8)), info: Array(self.context.utf8),
        outputByteCount: 32))
  }
}
