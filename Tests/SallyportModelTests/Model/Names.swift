/// Identifies a refresh token by its grant and a number. The first refresh token of a grant has the number 0.
struct TokenName: Hashable, Sendable {
  var grant: Int
  var number: Int

  var next: TokenName { TokenName(grant: self.grant, number: self.number + 1) }
}

/// Identifies an access token by its grant and a number. The first access token of a grant has the number 0.
struct AccessName: Hashable, Sendable {
  var grant: Int
  var number: Int
}

/// A step, and the token that its grant and age identify. The tokens of concurrent steps were all issued before the
/// first of these steps began.
struct Action: Sendable {
  var step: Step
  var token: TokenName?
  var access: AccessName?
}

/// The response that the model expects.
enum ExpectedResponse: Hashable, Sendable {
  case done
  /// An error with this reason, which is the name of a case in the server's error types.
  case refused(String)
  case code
  case tokens(Tokens)

  struct Tokens: Hashable, Sendable {
    /// The refresh token in the response, or `nil` if the response contains none. A repeated refresh returns the stored
    /// successor. Every other request returns a new token.
    var refresh: TokenName?
    /// The access token, which is always new.
    var access: AccessName
    var scope: String
    var audience: [String]
    var key: Step.Key
    /// When the access token expires, in seconds since the history began.
    var expiresAt: Int
  }
}
