import HTTPTypes
import SallyportProtocol

/// An error that any endpoint for clients can return: the request is malformed, the client is not authenticated, its
/// DPoP proof is invalid, or the store failed.
package enum ClientRequestError: EndpointError {
  case methodNotPost, parametersInURL, notAForm, malformedForm
  case repeatedParameter(String)
  case missingParameter(String)
  case authentication(ClientAuthenticationError)
  case proof(DPoPError)
  case storage(StoreError)

  init(_ error: ClientAuthenticationError) {
    if case .storage(let error) = error { self = .storage(error) } else { self = .authentication(error) }
  }

  init(_ error: DPoPError) {
    if case .storage(let error) = error { self = .storage(error) } else { self = .proof(error) }
  }

  package var response: ErrorResponse {
    switch self {
    case .methodNotPost: ErrorResponse(.invalidRequest, status: .methodNotAllowed, headers: [.allow: "POST"])
    case .parametersInURL, .notAForm, .malformedForm, .repeatedParameter, .missingParameter: ErrorResponse(.invalidRequest)
    case .authentication(.severalMethods), .authentication(.clientIDMismatch): ErrorResponse(.invalidRequest)
    case .authentication: .invalidClient
    case .proof(let error): ErrorResponse(error.code)
    case .storage: .storage
    }
  }

  package var reason: String {
    switch self {
    // The name of the parameter comes from the request, so it is left out.
    case .repeatedParameter: "repeatedParameter"
    case .authentication(let error): "\(error)"
    case .proof(.replayed): "proofReplayed"
    default: "\(self)"
    }
  }
}

extension ErrorResponse {
  /// The client is not authenticated (RFC 6749 §5.2).
  static let invalidClient = ErrorResponse(
    .invalidClient, status: .unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"client\""])
}

/// An error of an endpoint that authenticates clients.
package protocol ClientEndpointError: EndpointError {
  static func request(_ error: ClientRequestError) -> Self
}

extension ClientEndpointError {
  static func missingParameter(_ name: String) -> Self { .request(.missingParameter(name)) }
  static func storage(_ error: StoreError) -> Self { .request(.storage(error)) }
  /// The DPoP proof was used before.
  static var proofReplayed: Self { .request(.proof(.replayed)) }
}
