import SallyportProtocol
import SallyportServer

extension AuthorizeError.PageReason {
  /// The error code for metrics. The server shows this error on a page and returns no code to the app, so the metrics
  /// use the OAuth error code with the closest meaning.
  var code: OAuthErrorCode {
    switch self {
    case .clientMissing, .clientUnknown: .invalidClient
    case .unverifiedRedirect(let code): code
    case .keys, .storage: .serverError
    default: .invalidRequest
    }
  }
}
