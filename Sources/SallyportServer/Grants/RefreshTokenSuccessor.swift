import Crypto
import SallyportProtocol

/// What is to prove the refresh token that replaces another, sealed for whoever loses the reply that carries it.
///
/// The seal is keyed by the replaced token's own text, which the store does not have: neither the database nor the server's keys
/// give a successor away.
struct RefreshTokenSuccessor: Sendable {
  let secret: OpaqueToken
  let fingerprint: Fingerprint
  let sealed: [UInt8]

  private static var context: String { "refresh token successor" }

  /// A new one, to replace `predecessor`.
  init(of predecessor: RefreshToken) throws(TokenError) {
    self.secret = OpaqueToken.random(.refreshToken)
    self.fingerprint = self.secret.fingerprint
    do { self.sealed = try Self.sealer(under: predecessor).seal(self.secret.text.reveal().utf8, context: Self.context) } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  /// What was sealed under `predecessor`.
  static func open(_ sealed: [UInt8], under predecessor: RefreshToken) throws(TokenError) -> OpaqueToken {
    guard let text = try? self.sealer(under: predecessor).open(sealed, context: self.context),
      let secret = OpaqueToken(.refreshToken, String(decoding: text, as: UTF8.self))
    else { throw TokenError(.serverError, .signing) }
    return secret
  }

  private static func sealer(under predecessor: RefreshToken) -> Sealer {
    Sealer(
      key: HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: Array(predecessor.secret.text.reveal().utf8)), info: Array(self.context.utf8),
        outputByteCount: 32))
  }
}
