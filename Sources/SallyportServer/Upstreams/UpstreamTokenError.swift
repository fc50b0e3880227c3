import SallyportProtocol
import SallyportRemote

/// What the log says about a failed token request to an upstream. It contains no description, because a provider may
/// repeat a secret of the request there.
package struct UpstreamTokenError: Sendable, Equatable {
  /// The error code of the response, such as `invalid_client`; nil if it has none.
  package var code: String?
  /// The status of a response without an error code; nil if there is no such response.
  package var status: Int?

  init(_ error: TokenRequestError) {
    switch error {
    case .refused(let response): self.code = response.code.description
    case .unavailable(let status), .invalid(.unexpectedStatus(let status)): self.status = status
    case .network, .invalid, .key, .clientSecret: break
    }
  }
}
