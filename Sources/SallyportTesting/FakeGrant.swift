import SallyportProtocol

/// What the user has allowed a client.
struct FakeGrant {
  let clientID: String
  let scope: Scope
  let nonce: String?
  var accessToken: String
  var accessTokenExpiration: Timestamp
  var refreshToken: String?
}
