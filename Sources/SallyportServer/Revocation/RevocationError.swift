import SallyportProtocol

/// Why the revocation endpoint rejects a request.
package enum RevocationError: ClientEndpointError {
  case request(ClientRequestError)
  case keys(KeyRingError)

  init(_ error: KeyRingError) {
    if case .storage(let error) = error { self = .storage(error) } else { self = .keys(error) }
  }

  package var response: ErrorResponse {
    switch self {
    case .request(let error): error.response
    case .keys: ErrorResponse(.serverError)
    }
  }

  package var reason: String {
    if case .request(let error) = self { error.reason } else { "\(self)" }
  }
}
