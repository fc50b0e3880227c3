import SallyportProtocol
import SallyportServer

extension AuthorizeError.PageReason {
  /// The error code for metrics. Errors shown on a page have no code in the protocol, so this is the closest one.
  var code: OAuthErrorCode {
    switch self {
    case .clientMissing, .clientUnknown: .invalidClient
    case .unverifiedRedirect(let code): code
    case .keys, .storage: .serverError
    default: .invalidRequest
    }
  }
}
