import SallyportObservability
import SallyportProtocol
import SallyportServer

// What a log says of a refusal: the name of the reason, never a text that came with the request.

extension TokenError.Reason {
  var label: String {
    switch self {
    case .repeatedParameter, .pushedPage(.repeatedParameter): "repeatedParameter"
    default: "\(self)"
    }
  }
}

extension AuthorizeError.PageReason {
  var label: String {
    switch self {
    case .repeatedParameter: "repeatedParameter"
    default: "\(self)"
    }
  }
}

extension AuthorizeError.PageReason {
  /// The error code for metrics. An error on a page has no code in the protocol, so this is the closest one.
  var code: OAuthErrorCode {
    switch self {
    case .clientMissing, .clientUnknown: .invalidClient
    case .unvouchedRedirect(let code): code
    case .storage: .serverError
    default: .invalidRequest
    }
  }
}
