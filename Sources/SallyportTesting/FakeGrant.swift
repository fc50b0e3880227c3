import SallyportProtocol

/// The access that the user has granted to a client, with its tokens.
struct FakeGrant {
  let clientID: String
  let scope: Scope
  let nonce: String?
  /// The last access token that was issued.
  var accessToken: String
  /// All access tokens and when they expire. A refresh doesn't invalidate earlier tokens.
  var expirations: [String: Timestamp]
  var refreshToken: String?
}
