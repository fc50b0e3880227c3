package import SallyportProtocol

/// Why the pushed authorization request endpoint rejects a request.
package enum PushedRequestError: ClientEndpointError {
  case request(ClientRequestError)
  /// RFC 9126 §2.1: `request_uri` must not be pushed.
  case requestURI
  /// The `dpop_jkt` parameter differs from the key of the DPoP proof.
  case keyMismatch
  /// The authorization request is invalid (RFC 9126 §2.3).
  case invalid(OAuthErrorCode, reason: String)
  case quotaExceeded

  /// RFC 9126 §2.3: the endpoint reports the error that the authorization endpoint would report to the app. Errors that
  /// the authorization endpoint shows on a page have the code ``AuthorizeError/PageReason/pushedCode``, except for
  /// errors of the store.
  init(_ error: AuthorizeError) {
    switch error {
    case .redirect(_, let code, let reason): self = .invalid(code, reason: reason.rawValue)
    case .page(.storage(let error)): self = .request(.storage(error))
    case .page(let reason): self = .invalid(reason.pushedCode, reason: reason.label)
    }
  }

  init(_ error: PushedRequests.StorageError) {
    switch error {
    case .quota: self = .quotaExceeded
    case .proofReplayed: self = .request(.proof(.replayed))
    case .storage(let error): self = .request(.storage(error))
    }
  }

  package var response: ErrorResponse {
    switch self {
    case .request(let error): error.response
    case .requestURI: ErrorResponse(.invalidRequest)
    case .keyMismatch: ErrorResponse(.invalidDPoPProof)
    case .invalid(let code, _): ErrorResponse(code)
    case .quotaExceeded: .tooManyRequests()
    }
  }

  package var reason: String {
    switch self {
    case .request(let error): error.reason
    case .invalid(_, let reason): reason
    default: "\(self)"
    }
  }
}

extension AuthorizeError.PageReason {
  /// The error code for a client that pushes the request.
  fileprivate var pushedCode: OAuthErrorCode {
    switch self {
    case .unverifiedRedirect(let code): code
    case .requestObjectInvalid(let error): error.code
    case .keys: .serverError
    default: .invalidRequest
    }
  }
}
