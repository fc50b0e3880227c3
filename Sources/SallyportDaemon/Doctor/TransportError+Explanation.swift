import SallyportRemote

extension TransportError {
  /// Why the request failed, for the output of commands.
  var explanation: String {
    switch self {
    case .unreachable(let reason): reason
    case .untrusted(let reason): "the certificate is not trusted: \(reason)"
    case .timedOut: "the request timed out"
    case .bodyTooLarge: "the response is too large"
    case .cancelled: "canceled"
    }
  }
}
