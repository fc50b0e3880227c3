import SallyportProtocol
import SallyportServer

/// Properties of the identifiers in codes and refresh tokens. A code consists of a secret and the identifier of its
/// grant. A refresh token consists of a secret and its own identifier.
///
/// The input is appended to a valid secret, because a fuzzer hardly ever creates a secret with a valid checksum.
enum TokenIdentifierProperties {
  private static let code = OpaqueToken.random(.authorizationCode)
  private static let token = OpaqueToken.random(.refreshToken)

  /// - Returns: Whether the input is a valid identifier of a code or of a refresh token.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let identifier = String(validating: input, as: UTF8.self) else { return false }
    try require(
      RefreshToken(identifier) == nil && AuthorizationCode(identifier) == nil,
      "an identifier without a secret is not a credential")
    let isCode = try self.checkCode(self.code.text.reveal() + identifier)
    let isToken = try self.checkToken(self.token.text.reveal() + identifier)
    try require(RefreshToken(self.code.text.reveal() + identifier) == nil, "no identifier turns a code into a refresh token")
    try require(
      AuthorizationCode(self.token.text.reveal() + identifier) == nil, "no identifier turns a refresh token into a code")
    return isCode || isToken
  }

  private static func checkCode(_ text: String) throws(Violation) -> Bool {
    guard let code = AuthorizationCode(text) else { return false }
    try require(code.text.reveal().utf8.elementsEqual(text.utf8), "a code has only one encoding")
    try require(code.fingerprint == self.code.fingerprint, "the identifier does not change a code's fingerprint")
    try require((1...64).contains(code.grant.rawValue.utf8.count), "a grant identifier in a code has 1 to 64 bytes")
    return true
  }

  private static func checkToken(_ text: String) throws(Violation) -> Bool {
    guard let token = RefreshToken(text) else { return false }
    try require(token.text.reveal().utf8.elementsEqual(text.utf8), "a token has only one encoding")
    try require(token.fingerprint == self.token.fingerprint, "the identifier does not change a token's fingerprint")
    guard let id = token.id else {
      try require(text.utf8.count == self.token.text.reveal().utf8.count, "a token without an identifier consists of its secret")
      return true
    }
    try require(
      (1...62).contains(id.grant.rawValue.utf8.count),
      "a grant identifier in a refresh token has 1 to 62 bytes, because '~' and a number follow it")
    return true
  }
}
