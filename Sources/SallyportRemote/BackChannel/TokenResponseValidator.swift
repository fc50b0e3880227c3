import HTTPTypes
package import SallyportProtocol

/// Reads and checks a response of the token endpoint (RFC 6749 §5.1 and §5.2).
package enum TokenResponseValidator {
  /// The maximum response size and the timeout.
  package static let limits = TransferLimits(maximumBodySize: 256 << 10, timeout: .seconds(30))

  /// - Parameters:
  ///   - secrets: Values of the request that an error text must not contain.
  ///   - binding: The key of the request's DPoP proof, or `nil` if the request had no proof.
  package static func validate(
    _ response: TransportResponse, redacting secrets: [Secret<String>], binding: DPoPBinding? = nil
  ) throws(TokenRequestError) -> TokenResponse {
    let members = ResponseMembers(response)
    let errorResponse = members.flatMap { OAuthErrorResponse($0, redacting: secrets) }
    if let error = self.error(response.head.status, errorResponse) { throw error }
    guard let members else { throw .invalid(.malformed) }
    var tokens = try self.tokens(members)
    tokens.date = response.head.headerFields[.date].flatMap { HTTPDate.parse($0) }
    try self.checkType(tokens, binding)
    try self.checkTokens(tokens)
    return tokens
  }

  /// The error of a response of any of the server's endpoints, or `nil` if the response reports success.
  package static func error(in response: TransportResponse, redacting secrets: [Secret<String>]) -> TokenRequestError? {
    self.error(response.head.status, OAuthErrorResponse(response, redacting: secrets))
  }

  /// - Parameter errorResponse: The error that the body contains. Some servers send an error with status 200.
  private static func error(_ status: HTTPResponse.Status, _ errorResponse: OAuthErrorResponse?) -> TokenRequestError? {
    switch (status.code, errorResponse) {
    // Some servers use status 429 for `authorization_pending` or `slow_down` (RFC 8628 §3.5).
    case (429, let errorResponse?) where errorResponse.code.kind == .pending || errorResponse.code.kind == .slowDown:
      .refused(errorResponse)
    case (429, _), (500..., _): .unavailable(status: status.code)
    case (200...201, let errorResponse?), (400..<500, let errorResponse?): .refused(errorResponse)
    case (200...201, nil): nil
    default: .invalid(.unexpectedStatus(status.code))
    }
  }

  private static func tokens(_ members: ResponseMembers) throws(TokenRequestError) -> TokenResponse {
    let standardMembers: Set = ["access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token"]
    do {
      // `text` returns nil for an empty text, but an empty access token must be reported as a malformed token.
      guard case .string(let accessToken) = members.all["access_token"] else { throw ResponseMembers.WrongType() }
      var tokens = TokenResponse(accessToken: Secret(accessToken), expiresIn: nil)
      // A token without `token_type` counts as a `Bearer` token, the default of `TokenResponse`.
      tokens.tokenType = try members.text("token_type") ?? tokens.tokenType
      tokens.refreshToken = try members.text("refresh_token").map(Secret.init)
      tokens.idToken = try members.text("id_token").map(Secret.init)
      tokens.scope = try self.scope(members)
      tokens.expiresIn = try self.lifetime(members)
      tokens.additional = Secret(members.all.filter { !standardMembers.contains($0.key) })
      return tokens
    } catch let error as TokenRequestError {
      throw error
    } catch {
      throw .invalid(.malformed)
    }
  }

  /// Reads `scope`. Its values can be separated by spaces (RFC 6749 §3.3) or, in a text without spaces, by commas. They
  /// can also be the elements of an array. A scope with characters that are not allowed counts as absent.
  private static func scope(_ members: ResponseMembers) throws -> Scope? {
    if case .array(let values) = members.all["scope"] {
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      guard texts.count == values.count else { throw ResponseMembers.WrongType() }
      return Scope(texts.joined(separator: " "))
    }
    guard let text = try members.text("scope") else { return nil }
    return Scope(text.contains(" ") ? text : text.replacing(",", with: " "))
  }

  /// Reads `expires_in`. Zero counts as unknown, because some servers send zero for tokens that don't expire. The app
  /// uses such a token until an API rejects it.
  private static func lifetime(_ members: ResponseMembers) throws -> Int? {
    let seconds: Int?
    do {
      seconds = try members.seconds("expires_in")
    } catch {
      throw TokenRequestError.invalid(.lifetimeInvalid)
    }
    guard let seconds, seconds != 0 else { return nil }
    guard (1...self.longestLifetime).contains(seconds) else { throw TokenRequestError.invalid(.lifetimeInvalid) }
    return seconds
  }

  /// Checks the token type (RFC 6749 §7.1, RFC 9449 §5). `DPoP` is valid only if the request contained a proof.
  private static func checkType(_ response: TokenResponse, _ binding: DPoPBinding?) throws(TokenRequestError) {
    switch (response.type, binding) {
    case (.dpop, .some), (.bearer, .none): break
    case (.bearer, .some(let binding)): if binding.isRequired { throw .invalid(.tokenNotBound) }
    case (.dpop, .none), (.none, _): throw .invalid(.tokenTypeNotSupported)
    }
  }

  /// Checks the characters of the tokens, which are sent in a header and in forms: visible ASCII without spaces (RFC
  /// 6749 Appendix A.12 and A.17).
  private static func checkTokens(_ response: TokenResponse) throws(TokenRequestError) {
    let tokens = [response.accessToken, response.refreshToken, response.idToken].compactMap { $0?.reveal().utf8 }
    for token in tokens {
      guard (1...self.longestToken).contains(token.count), token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .invalid(.tokenMalformed)
      }
    }
  }

  /// Ten years, in seconds.
  private static let longestLifetime = 10 * 366 * 86_400
  /// The maximum length of a token, in bytes.
  private static let longestToken = 64 << 10
}
