import SallyportProtocol

/// What the user has allowed a client.
struct FakeGrant {
  let clientID: String
  let scope: Scope
  let nonce: String?
  /// The last access token, which goes into a response.
  var accessToken: String
  /// All access tokens and when they expire. A refresh doesn't invalidate earlier tokens.
  var expirations: [String: Timestamp]
  var refreshToken: String?
}
