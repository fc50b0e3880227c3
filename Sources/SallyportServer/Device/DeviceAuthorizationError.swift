import SallyportProtocol

/// Why the device authorization endpoint rejects a request.
package enum DeviceAuthorizationError: ClientEndpointError {
  case request(ClientRequestError)
  case grantTypeNotAllowed
  case scopeMalformed, scopeNotAllowed
  case resource(ResourceError)
  /// The server cannot authenticate users at the `acr` level that operators require for the client and the scope.
  case levelNotOffered
  case quotaExceeded

  package var response: ErrorResponse {
    switch self {
    case .request(let error): error.response
    case .grantTypeNotAllowed: ErrorResponse(.unauthorizedClient)
    case .scopeMalformed, .scopeNotAllowed: ErrorResponse(.invalidScope)
    case .resource: ErrorResponse(.invalidTarget)
    case .levelNotOffered: ErrorResponse(.unmetAuthenticationRequirements)
    case .quotaExceeded: .tooManyRequests()
    }
  }

  package var reason: String {
    if case .request(let error) = self { error.reason } else { "\(self)" }
  }
}
