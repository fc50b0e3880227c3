import Crypto
import SallyportProtocol

/// A refresh token that is to replace another, with its text sealed for whoever loses the reply that carries it.
///
/// The seal is keyed by the replaced token's own text, which the store does not have: neither the database nor the server's keys
/// give a successor away.
struct RefreshTokenSuccessor: Sendable {
  let token: OpaqueToken
  let fingerprint: Fingerprint
  let sealed: [UInt8]

  private static var context: String { "refresh token successor" }

  /// A new token to replace `predecessor`.
  init(of predecessor: OpaqueToken) throws(TokenError) {
    self.token = OpaqueToken.random(.refreshToken)
    self.fingerprint = self.token.fingerprint
    do { self.sealed = try Self.sealer(under: predecessor).seal(self.token.text.reveal().utf8, context: Self.context) } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  /// The text that was sealed under `predecessor`.
  static func open(_ sealed: [UInt8], under predecessor: OpaqueToken) throws(TokenError) -> Secret<String> {
    guard let text = try? self.sealer(under: predecessor).open(sealed, context: self.context) else {
      throw TokenError(.serverError, .signing)
    }
    return Secret(String(decoding: text, as: UTF8.self))
  }

  private static func sealer(under predecessor: OpaqueToken) -> Sealer {
    Sealer(
      key: HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: Array(predecessor.text.reveal().utf8)), info: Array(self.context.utf8),
        outputByteCount: 32))
  }
}
