public import SallyportRemote

/// Why nobody was signed in to an API that was given by its URL.
public enum ResourceSignInError: Error, Equatable, Sendable {
  /// The API does not say who may sign somebody in, or what it says breaks a rule.
  case resource(ResourceDiscoveryError)
  /// None of the API's authorization servers is one that the app wants.
  case noServerChosen
  /// The app has no identifier at the server, and the server gives none.
  case noClientID
  case registration(RegistrationError)
  case signIn(SignInError)
  case store(TokenStoreError)
  /// The program stopped the call.
  case cancelled
  /// A store of the app's own failed in a way of its own.
  case other(reason: String)

  init(any error: any Error) {
    switch error {
    case let error as ResourceSignInError: self = error
    case is CancellationError, RegistrationError.cancelled, SignInError.cancelled, ResourceDiscoveryError.network(.cancelled):
      self = .cancelled
    case let error as ResourceDiscoveryError: self = .resource(error)
    case RegistrationError.notOffered: self = .noClientID
    case let error as RegistrationError: self = .registration(error)
    case let error as SignInError: self = .signIn(error)
    case let error as DiscoveryError: self = .signIn(.discovery(error))
    case SessionError.store(let error): self = .store(error)
    case let error as TokenStoreError: self = .store(error)
    default: self = .other(reason: "\(type(of: error))")
    }
  }
}
