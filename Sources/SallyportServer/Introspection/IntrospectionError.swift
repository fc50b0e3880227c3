import SallyportProtocol

/// Why the introspection endpoint rejects a request.
package enum IntrospectionError: ClientEndpointError {
  case request(ClientRequestError)
  case publicClientNotAllowed
  /// The server's own keys cannot be used.
  case keys(KeyRingError)

  init(_ error: KeyRingError) {
    // `storage(_:)` is `request` with the store's error.
    if case .storage(let error) = error { self = .storage(error) } else { self = .keys(error) }
  }

  package var response: ErrorResponse {
    switch self {
    case .request(let error): error.response
    case .publicClientNotAllowed: .invalidClient
    case .keys: ErrorResponse(.serverError)
    }
  }

  package var reason: String {
    if case .request(let error) = self { error.reason } else { "\(self)" }
  }
}
