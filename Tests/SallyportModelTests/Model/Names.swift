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

/// A step with what it names: several that happen at once name what was there before.
struct Action: Sendable {
  var step: Step
  var token: TokenName?
  var access: AccessName?
}

/// What the model says that the server answers.
enum Expected: Hashable, Sendable {
  case done
  /// A reason of the server's own.
  case refused(String)
  case code
  case tokens(Tokens)

  struct Tokens: Hashable, Sendable {
    /// A new one, or the one that was given before under this name.
    var refresh: TokenName?
    /// Always new.
    var access: AccessName
    var scope: String
    var audience: [String]
    var key: Step.Key
    /// In seconds since the history began.
    var expiresAt: Int
  }
}
