import SallyportProtocol
import SallyportRemote

/// The credentials that a client authenticates with.
enum AuthenticationCredentials: Sendable {
  /// A public client without credentials.
  case none
  /// The client secret of an app, sent because the server requires one.
  case secret(ClientSecretSource)
  /// Credentials that this installation of the app got when it registered itself (``InstanceRegistration``).
  /// `onRejection` is called when the server rejects them.
  case instance(ClientAuthentication, onRejection: @Sendable () async -> Void)

  /// The authentication of one request.
  /// - Parameters:
  ///   - method: How to send a secret, or `nil` to choose by `methods`. With `noSecret`, the secret is not sent.
  ///   - methods: The methods that the server's metadata lists (`token_endpoint_auth_methods_supported`), or `nil` if
  ///     it has no such list.
  func authentication(
    method: ServerConfiguration.ClientAuthenticationMethod?, methods: [String]?
  ) async throws(BackChannelError) -> ClientAuthentication {
    switch (self, method) {
    case (.none, _), (.secret, .noSecret?): .none
    case (.secret(let source), _):
      ClientAuthentication(secret: try await source.current(), methods: method.map { [$0.rawValue] } ?? methods)
    case (.instance(let authentication, _), _): authentication
    }
  }

  /// Called when the server rejects the credentials with the error `invalid_client`. Forgets a secret that the app
  /// provided, so that the next request asks the app for a new secret.
  var onInvalidClient: @Sendable () async -> Void {
    switch self {
    case .none: {}
    case .secret(let source): { source.forget() }
    case .instance(_, let onRejection): onRejection
    }
  }
}
