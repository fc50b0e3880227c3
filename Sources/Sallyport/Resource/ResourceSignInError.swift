public import SallyportRemote

/// Why a sign-in to an API that is known only by its URL failed.
public enum ResourceSignInError: Error, Equatable, Sendable {
  /// The API's metadata could not be read or is invalid.
  case resource(ResourceDiscoveryError)
  /// The app chose none of the API's authorization servers.
  case noServerChosen
  /// The app has no client identifier at the server, and the server doesn't offer registration.
  case noClientID
  /// The registration at the authorization server failed.
  case registration(RegistrationError)
  /// The sign-in at the authorization server failed.
  case signIn(SignInError)
  /// The token store failed.
  case store(TokenStoreError)
  /// The app canceled the sign-in.
  case cancelled
  /// An unexpected error, for example an error other than ``TokenStoreError`` from ``TokenStore/withLease(on:_:)`` of
  /// the app's own store.
  /// - Parameter reason: The name of the error's type.
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
    case let error as DiscoveryError: self.init(any: SignInError(error))
    case SessionError.store(let error): self = .store(error)
    case let error as TokenStoreError: self = .store(error)
    default: self = .other(reason: "\(type(of: error))")
    }
  }
}
