import SallyportProtocol

/// The access that a user has granted to the client, and the current tokens of this grant.
struct Grant: Sendable {
  let number: Int
  var scope: String
  let nonce: String?
  /// How the client authenticates to refresh the tokens.
  let secret: RegisteredClient.Secret
  var accessToken: String
  /// The access tokens for APIs other than the API of the sign-in. The key is the token, and the value is the API.
  var otherAccessTokens: [String: String] = [:]
  /// The scope of the last refresh, which applies to a refresh request without a scope. It is set only for providers
  /// with an `apiForScope` closure.
  var lastScope: String?
  var refreshToken: String?
  var isRevoked = false
}

/// A device authorization request (RFC 8628), and the decision of the user.
struct DeviceAttempt: Sendable {
  let request: FormParameters
  let userCode: String
  /// The number of times that the client has polled.
  var polls = 0
  var decision = Decision.undecided

  enum Decision: Sendable {
    case undecided
    case allowed
    case denied
  }
}
