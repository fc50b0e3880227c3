/// The stored form of a ``PendingSignIn``.
struct PendingRecord: Codable {
  var account: String?
  var redirectURI: String
  var scope: String
  var codeVerifier: String
  var state: String
  var nonce: String
  /// In milliseconds since 1970.
  var expiresAt: Int64
  /// Whether to revoke the refresh token of the session that this sign-in replaces.
  var revokesReplaced: Bool
  var details: SignInDetailsRecord

  private enum CodingKeys: String, CodingKey {
    case account, redirectURI, scope, codeVerifier, state, nonce, expiresAt, revokesReplaced
    // Records that earlier versions stored have the key `terms`, so the key stays.
    case details = "terms"
  }

  init(_ pending: PendingSignIn) {
    self.account = pending.account
    self.redirectURI = pending.redirectURI.value
    self.scope = pending.scope.description
    self.codeVerifier = pending.codeVerifier.text.reveal()
    self.state = pending.state.reveal()
    self.nonce = pending.nonce.reveal()
    self.expiresAt = pending.expiresAt.milliseconds
    self.revokesReplaced = pending.revokesReplaced
    self.details = SignInDetailsRecord(pending.details)
  }
}
