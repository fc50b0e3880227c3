import SallyportRemote

/// Where an access token is sent.
enum TokenDestination: Sendable {
  /// An API, which must be one that the token is for (rule C-34).
  case api(Origin, for: TokenTarget)
  /// An endpoint of the authorization server that issued the token, or the URL of ``ServerConfiguration/account``.
  case server

  /// Which of the session's tokens is sent.
  var target: TokenTarget {
    switch self {
    case .api(_, let target): target
    case .server: .own
    }
  }
}
