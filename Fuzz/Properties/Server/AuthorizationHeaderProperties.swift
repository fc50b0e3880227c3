#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportServer

/// The `Authorization` field: `Basic` at the token endpoint and its siblings (RFC 6749 §2.3.1), `Bearer` and `DPoP` where tokens are
/// presented (RFC 6750 §2.1, RFC 9449 §7.1).
enum AuthorizationHeaderProperties {
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let field = String(validating: input, as: UTF8.self) else { return false }
    try self.checkToken(field)
    try self.checkBasic(field)
    return try await self.checkEndpoints(field)
  }

  private static func checkToken(_ field: String) throws(Violation) {
    guard let presented = AuthorizationToken(field) else { return }
    let token = presented.token.reveal()
    try require(!token.isEmpty && !token.utf8.contains(UInt8(ascii: " ")), "a token is one word")
    let scheme = presented.scheme == .dpop ? "DPoP" : "Bearer"
    // In bytes: a mark that joins the blank before it is one character with that.
    let isEnd = field.utf8.suffix(token.utf8.count).elementsEqual(token.utf8)
    try require(field.lowercased().hasPrefix(scheme.lowercased()) && isEnd, "scheme and token are the field's")
    let again = AuthorizationToken("\(scheme) \(token)")
    try require(
      again?.scheme == presented.scheme && isSame(again?.token.reveal(), token), "a token that is presented again reads the same")
  }

  private static func checkBasic(_ field: String) throws(Violation) {
    guard let credentials = try? PresentedCredentials(authorization: field, form: FormParameters()) else { return }
    let id = credentials.clientID.rawValue
    try require(field.lowercased().hasPrefix("basic "), "only Basic brings credentials")
    try require(!id.isEmpty, "who authenticates has a name")
    let secret: String
    switch credentials.proof {
    case .none: secret = ""
    case .basic(let value): secret = value.reveal()
    case .post, .assertion: throw Violation("a header brings nothing of a form")
    }
    // As RFC 6749 §2.3.1 has it: both halves encoded, then put together.
    let pair = "\(PercentEncoding.encode(id)):\(PercentEncoding.encode(secret))"
    let written = "Basic \(Data(pair.utf8).base64EncodedString())"
    let again = try? PresentedCredentials(authorization: written, form: FormParameters())
    try require(isSame(again?.clientID.rawValue, id), "a name that is written again reads the same")
    let other: String? = if case .basic(let value)? = again?.proof { value.reveal() } else { "" }
    try require(isSame(other, secret), "a secret that is written again reads the same")
    let both = try? PresentedCredentials(
      authorization: field, form: FormParameters([(name: "client_secret", value: "x")]))
    try require(both == nil, "RFC 6749 §2.3: not more than one method")
  }

  /// The endpoints give away nothing for a field alone, but to who knows the secret.
  /// - Returns: whether a client was authenticated.
  private static func checkEndpoints(_ field: String) async throws(Violation) -> Bool {
    guard let server = FuzzServer.shared else { return false }
    var isAccepted = false
    do {
      _ = try await server.server.token.respond(
        to: "grant_type=authorization_code&code=x&redirect_uri=x", authorization: field, from: .server, at: .unknown)
      throw Violation("there are no codes")
    } catch let error as TokenError {
      // Everything that is refused for another reason is refused after the client was authenticated.
      if error.code != .invalidClient, error.reason != .severalAuthenticationMethods {
        isAccepted = true
        let credentials = try? PresentedCredentials(authorization: field, form: FormParameters())
        let isPublic = ["notes", "dynamic"].contains { isSame(credentials?.clientID.rawValue, $0) }
        let isKnown =
          if case .basic(let secret)? = credentials?.proof { isSame(secret.reveal(), FuzzServer.secret) } else { false }
        try require(isPublic || isKnown, "a client that is registered with a secret has to know it")
      }
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation("an error has a code and a reason")
    }
    let presented = AuthorizationToken(field)
    do {
      _ = try await server.server.userinfo.answer(
        for: presented.map { .init(token: $0.token, scheme: $0.scheme == .dpop ? .dpop : .bearer) })
      throw Violation("nobody has a token")
    } catch let violation as Violation {
      throw violation
    } catch {}
    return isAccepted
  }
}
