import SallyportProtocol
import SallyportServer

// The log contains the name of an error's reason, never text from the request.

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
