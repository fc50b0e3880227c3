import SallyportProtocol
import SallyportServer

/// A server's response.
enum ObservedResponse: Sendable {
  case done
  case refused(String)
  case opened(String)
  case session(Secret<String>?)
  case code(String)
  case tokens(TokenResponse)

  init(_ error: some EndpointError) {
    // The text of a nested reason contains the module and the type, which the model's reasons omit.
    self = .refused("\(error.reason)".replacing("SallyportServer.ResourceError.", with: ""))
  }

  init(_ error: AuthorizeError) {
    switch error {
    // The server returns this error if the session ended after it was read, and before the transaction that issues the
    // code.
    case .page(.interactionInvalid): self = .refused("signedOut")
    case .page(let reason): self = .refused("\(reason)")
    case .redirect(_, _, let reason): self = .refused("\(reason)")
    }
  }
}

/// The codes, tokens, and other values that the servers issued, by their names in the model.
struct IssuedValues: Sendable {
  var cookie: Secret<String>?
  var interactions: [Int: String] = [:]
  var codes: [Int: String] = [:]
  var tokens: [TokenName: String] = [:]
  var access: [AccessName: String] = [:]

  /// Compares a response with the model, and stores the values that the response contains.
  /// - Parameter startedAt: The time at which the model's clock is 0.
  /// - Returns: The difference, or `nil` if the response is the expected one.
  mutating func record(
    _ observed: ObservedResponse, of action: Action, expecting expected: ExpectedResponse, startedAt: Timestamp
  ) -> String? {
    switch (expected, observed) {
    case (.done, .done): return nil
    case (.done, .opened(let text)): self.interactions[action.step.grant] = text
    case (.done, .session(let cookie)): self.cookie = cookie
    case (.refused(let expected), .refused(let reason)) where expected == reason: return nil
    case (.code, .code(let text)): self.codes[action.step.grant] = text
    case (.tokens(let expected), .tokens(let response)): return self.record(response, expected, startedAt)
    default: return "the model expects \(expected), but the server returned \(observed)"
    }
    return nil
  }

  private mutating func record(_ response: TokenResponse, _ expected: ExpectedResponse.Tokens, _ startedAt: Timestamp) -> String?
  {
    if let difference = self.recordRefreshToken(response.refreshToken?.reveal(), expected.refresh) { return difference }
    let text = response.accessToken.reveal()
    guard !self.access.values.contains(text) else { return "an access token was issued twice" }
    self.access[expected.access] = text
    guard let claims = AccessTokenClaims(reading: text) else { return "an access token cannot be read" }
    let key = Keys.key(expected.key)?.publicKey.thumbprint
    let actual = [
      response.scope?.description ?? "", claims.scope ?? "", claims.audience.values.joined(separator: " "), response.tokenType,
    ]
    let expectedValues = [
      expected.scope, expected.scope, expected.audience.joined(separator: " "), key == nil ? "Bearer" : "DPoP",
    ]
    guard actual == expectedValues else { return "the model expects \(expectedValues), but the tokens have \(actual)" }
    guard claims.confirmation?.keyThumbprint == key else { return "the access token is bound to another key" }
    guard claims.expiration == (startedAt + .seconds(expected.expiresAt)).seconds else {
      return "the access token has another expiration time"
    }
    return nil
  }

  private mutating func recordRefreshToken(_ text: String?, _ name: TokenName?) -> String? {
    guard let name else { return text == nil ? nil : "an unexpected refresh token was issued" }
    guard let text else { return "no refresh token was issued" }
    if let known = self.tokens[name] { return known == text ? nil : "a repeated refresh got another successor" }
    guard !self.tokens.values.contains(text) else { return "a refresh token was issued twice" }
    self.tokens[name] = text
    return nil
  }
}
