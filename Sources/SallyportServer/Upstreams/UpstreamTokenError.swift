import SallyportProtocol
import SallyportRemote

/// What the log says about a failed token request to an upstream. The log does not contain the response's
/// `error_description`, because a provider may repeat a secret of the request in this text.
package struct UpstreamTokenError: Sendable, Equatable {
  /// The error code, such as `invalid_client`; nil if the upstream did not reject the request with one.
  package var code: String?
  /// The HTTP status, if it already says that the request failed (429, or 500 and above) or is unexpected. An error
  /// code in such a response is ignored. Nil for any other failure.
  package var status: Int?

  init(_ error: TokenRequestError) {
    switch error {
    case .refused(let response): self.code = response.code.description
    case .unavailable(let status), .invalid(.unexpectedStatus(let status)): self.status = status
    case .network, .invalid, .key, .clientSecret: break
    }
  }
}
