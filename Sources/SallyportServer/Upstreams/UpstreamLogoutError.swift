import HTTPTypes
import SallyportProtocol
package import SallyportRemote

/// Why a logout token of an upstream is rejected.
package enum UpstreamLogoutError: EndpointError {
  /// There is no upstream with this identifier.
  case unknownUpstream
  case malformedRequest
  case invalidToken(LogoutTokenError)
  /// A token with this `jti` was accepted before.
  case replayed
  /// Too many invalid tokens came from this address.
  case throttled
  /// The provider's metadata or keys cannot be fetched.
  case providerUnavailable
  case storage(StoreError)

  package var response: ErrorResponse {
    switch self {
    case .unknownUpstream:
      ErrorResponse(.invalidRequest, description: "There is no provider with this identifier.", status: .notFound)
    case .malformedRequest: ErrorResponse(.invalidRequest, description: "The form must contain one logout_token.")
    case .invalidToken: ErrorResponse(.invalidRequest, description: "The logout token is invalid.")
    case .replayed: ErrorResponse(.invalidRequest, description: "The logout token was used before.")
    case .throttled: .tooManyRequests(description: "Too many invalid logout tokens came from this address.")
    case .providerUnavailable:
      ErrorResponse(
        .temporarilyUnavailable, description: "The provider's keys cannot be fetched. Try again later.",
        status: .serviceUnavailable, headers: [.retryAfter: "10"])
    case .storage: .storage
    }
  }
}
