import SallyportProtocol
import SallyportRemote

/// What the log says about a failed token request to an upstream. The log does not contain the response's
/// `error_description`, because a provider may repeat a secret of the request in this text.
package struct UpstreamTokenError: Sendable, Equatable {
  /// The error code of the response, such as `invalid_client`; nil if there is no response with an error code.
  package var code: String?
  /// The unexpected HTTP status of a response without an error code; nil for any other failure.
  package var status: Int?

  init(_ error: TokenRequestError) {
    switch error {
    case .refused(let response): self.code = response.code.description
    case .unavailable(let status), .invalid(.unexpectedStatus(let status)): self.status = status
    case .network, .invalid, .key, .clientSecret: break
    }
  }
}
