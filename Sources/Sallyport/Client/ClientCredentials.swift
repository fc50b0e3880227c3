import SallyportProtocol

/// What a client has to authenticate with.
enum ClientCredentials: Sendable {
  /// Nothing: a public client.
  case none
  /// A secret that every install has, sent because the server insists.
  case sharedSecret(Secret<String>)
  /// What only this instance has; `refused` hears when the server does not accept it.
  case instance(ClientAuthentication, refused: @Sendable () async -> Void)

  /// - Parameter methods: `token_endpoint_auth_methods_supported`.
  func authentication(methods: [String]?) -> ClientAuthentication {
    switch self {
    case .none: .none
    case .sharedSecret(let secret): ClientAuthentication(secret: secret, methods: methods)
    case .instance(let authentication, _): authentication
    }
  }

  var onInvalidClient: @Sendable () async -> Void {
    if case .instance(_, let refused) = self { return refused }
    return {}
  }
}
