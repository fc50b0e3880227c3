/// Where an access token is sent.
enum TokenDestination: Sendable {
  /// An API, which has to be one that the token is for (rule C-34).
  case api(Origin)
  /// An endpoint of the server that issued the token.
  case server
}
