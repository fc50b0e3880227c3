#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportServer

/// Properties of the parsers of the `Authorization` field: `Basic` for client authentication (RFC 6749 §2.3.1), and
/// `Bearer` and `DPoP` for access tokens (RFC 6750 §2.1, RFC 9449 §7.1).
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
    try require(!token.isEmpty && !token.utf8.contains(UInt8(ascii: " ")), "a token is not empty and has no spaces")
    let scheme = presented.scheme == .dpop ? "DPoP" : "Bearer"
    // Compare bytes, not characters: if the token begins with a combining mark, the mark forms one character with the
    // space before it.
    let isSuffix = field.utf8.suffix(token.utf8.count).elementsEqual(token.utf8)
    try require(field.lowercased().hasPrefix(scheme.lowercased()) && isSuffix, "the scheme and the token come from the field")
    let reparsed = AuthorizationToken("\(scheme) \(token)")
    try require(
      reparsed?.scheme == presented.scheme && haveSameBytes(reparsed?.token.reveal(), token),
      "an encoded token decodes to the same value")
  }

  private static func checkBasic(_ field: String) throws(Violation) {
    guard let credentials = try? PresentedCredentials(authorization: field, form: FormParameters()) else { return }
    let id = credentials.clientID.rawValue
    try require(field.lowercased().hasPrefix("basic "), "client credentials are accepted only with the Basic scheme")
    try require(!id.isEmpty, "the client identifier is not empty")
    let secret: String
    switch credentials.proof {
    case .none: secret = ""
    case .basic(let value): secret = value.reveal()
    case .post, .assertion: throw Violation(of: "credentials from the Authorization field are parsed as Basic credentials")
    }
    // RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
    let pair = "\(PercentEncoding.encode(id)):\(PercentEncoding.encode(secret))"
    let encoded = "Basic \(Data(pair.utf8).base64EncodedString())"
    let reparsed = try? PresentedCredentials(authorization: encoded, form: FormParameters())
    try require(haveSameBytes(reparsed?.clientID.rawValue, id), "an encoded client identifier decodes to the same value")
    // Credentials with an empty secret are parsed as credentials without a secret.
    let decodedSecret: String? = if case .basic(let value)? = reparsed?.proof { value.reveal() } else { "" }
    try require(haveSameBytes(decodedSecret, secret), "an encoded secret decodes to the same value")
    let withTwoMethods = try? PresentedCredentials(
      authorization: field, form: FormParameters([(name: "client_secret", value: "x")]))
    try require(withTwoMethods == nil, "RFC 6749 §2.3: a client uses only one authentication method")
  }

  /// Checks how two endpoints handle the field:
  /// - The token endpoint accepts a confidential client only if the field contains the client's secret.
  /// - The userinfo endpoint rejects every access token, because none was issued.
  /// - Returns: Whether the token endpoint accepted the client.
  private static func checkEndpoints(_ field: String) async throws(Violation) -> Bool {
    guard let fixture = FuzzServer.shared else { return false }
    var isClientAccepted = false
    do {
      _ = try await fixture.server.token.respond(
        to: "grant_type=authorization_code&code=x&redirect_uri=x", authorization: field, origin: .request("fuzz", from: nil),
        from: .unknown)
      throw Violation(of: "a code that was never issued is not redeemed")
    } catch let error as TokenError {
      // The form is valid, so every error except `invalid_client` means that the client was accepted.
      if error.code != .invalidClient {
        isClientAccepted = true
        let credentials = try? PresentedCredentials(authorization: field, form: FormParameters())
        // These are the public clients of `FuzzServer`.
        let isPublic = ["notes", "dynamic"].contains { haveSameBytes(credentials?.clientID.rawValue, $0) }
        let hasSecret =
          if case .basic(let secret)? = credentials?.proof { haveSameBytes(secret.reveal(), FuzzServer.secret) } else { false }
        try require(isPublic || hasSecret, "a confidential client is accepted only with its secret")
      }
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation(of: "the token endpoint throws no error except TokenError")
    }
    let presented = AuthorizationToken(field)
    do {
      _ = try await fixture.server.userinfo.respond(
        to: presented.map { .init(token: $0.token, scheme: $0.scheme == .dpop ? .dpop : .bearer) })
      throw Violation(of: "an access token that was never issued is rejected")
    } catch let violation as Violation {
      throw violation
    } catch {
      // The token was rejected, as required.
    }
    return isClientAccepted
  }
}
