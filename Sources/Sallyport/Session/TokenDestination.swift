import SallyportRemote

/// Where an access token is sent to.
enum TokenDestination: Sendable {
  /// An API, which must be one that the token is for (rule C-34).
  case api(Origin)
  /// An endpoint of the authorization server that issued the token.
  case server
}
