/// The refresh token that was issued as the `number`th of a grant.
struct TokenName: Hashable, Sendable {
  var grant: Int
  var number: Int

  var next: TokenName { TokenName(grant: self.grant, number: self.number + 1) }
}

/// The access token that was issued as the `number`th of a grant.
struct AccessName: Hashable, Sendable {
  var grant: Int
  var number: Int
}

/// A step with the tokens that it identifies. Concurrent steps identify tokens from before all of them.
struct Action: Sendable {
  var step: Step
  var token: TokenName?
  var access: AccessName?
}

/// The response that the model expects.
enum Expected: Hashable, Sendable {
  case done
  /// An error with this reason.
  case refused(String)
  case code
  case tokens(Tokens)

  struct Tokens: Hashable, Sendable {
    /// A new token, or the token that was issued before with this name.
    var refresh: TokenName?
    /// Always a new token.
    var access: AccessName
    var scope: String
    var audience: [String]
    var key: Step.Key
    /// In seconds since the history began.
    var expiresAt: Int
  }
}
