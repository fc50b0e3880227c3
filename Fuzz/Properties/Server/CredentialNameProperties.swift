import SallyportProtocol
import SallyportServer

/// What codes and refresh tokens say of where they are. The input stands behind a secret that is good: a fuzzer never gets past the
/// checksum of one by itself.
enum CredentialNameProperties {
  private static let code = OpaqueToken.random(.authorizationCode)
  private static let token = OpaqueToken.random(.refreshToken)

  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let name = String(validating: input, as: UTF8.self) else { return false }
    try require(RefreshToken(name) == nil && AuthorizationCode(name) == nil, "a name alone is no credential")
    let isCode = try self.checkCode(self.code.text.reveal() + name)
    let isToken = try self.checkToken(self.token.text.reveal() + name)
    try require(RefreshToken(self.code.text.reveal() + name) == nil, "a code is no refresh token, whatever its name")
    try require(AuthorizationCode(self.token.text.reveal() + name) == nil, "a refresh token is no code, whatever its name")
    return isCode || isToken
  }

  private static func checkCode(_ text: String) throws(Violation) -> Bool {
    guard let code = AuthorizationCode(text) else { return false }
    try require(code.text.reveal().utf8.elementsEqual(text.utf8), "a code has one text")
    try require(code.fingerprint == self.code.fingerprint, "a name changes nothing of what proves a code")
    try require((1...64).contains(code.grant.rawValue.utf8.count), "a grant's name has an end")
    return true
  }

  private static func checkToken(_ text: String) throws(Violation) -> Bool {
    guard let token = RefreshToken(text) else { return false }
    try require(token.text.reveal().utf8.elementsEqual(text.utf8), "a token has one text")
    try require(token.fingerprint == self.token.fingerprint, "a name changes nothing of what proves a token")
    guard let id = token.id else {
      try require(text.utf8.count == self.token.text.reveal().utf8.count, "a token without a name is its secret alone")
      return true
    }
    try require((1...62).contains(id.grant.rawValue.utf8.count), "a grant's name has an end, and a number behind it")
    return true
  }
}
