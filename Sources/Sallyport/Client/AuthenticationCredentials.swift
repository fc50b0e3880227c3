import SallyportProtocol
import SallyportRemote

/// The credentials that a client authenticates with.
enum AuthenticationCredentials: Sendable {
  /// A public client without credentials.
  case none
  /// A secret shared by all installations of the app, sent because the server requires one.
  case sharedSecret(Secret<String>)
  /// Credentials that this installation of the app got when it registered itself (``InstanceRegistration``). `refused`
  /// is called when the server rejects them.
  case instance(ClientAuthentication, refused: @Sendable () async -> Void)

  /// - Parameters:
  ///   - method: How to send a shared secret, or `nil` to choose by the server's metadata.
  ///   - methods: `token_endpoint_auth_methods_supported`.
  func authentication(method: ClientAuthenticationMethod?, methods: [String]?) -> ClientAuthentication {
    switch self {
    case .none: .none
    case .sharedSecret(let secret): ClientAuthentication(secret: secret, methods: method.map { [$0.rawValue] } ?? methods)
    case .instance(let authentication, _): authentication
    }
  }

  var onInvalidClient: @Sendable () async -> Void {
    if case .instance(_, let refused) = self { return refused }
    return {}
  }
}
