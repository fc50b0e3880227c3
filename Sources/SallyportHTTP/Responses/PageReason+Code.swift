import SallyportProtocol
import SallyportServer

extension AuthorizeError.PageReason {
  /// The error code for metrics. The protocol has no code for errors that are shown on a page, so this is the closest
  /// one.
  var code: OAuthErrorCode {
    switch self {
    case .clientMissing, .clientUnknown: .invalidClient
    case .unverifiedRedirect(let code): code
    case .keys, .storage: .serverError
    default: .invalidRequest
    }
  }
}
