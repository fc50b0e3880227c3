import HTTPTypes
import Hummingbird
import SallyportProtocol

extension Request {
  /// The values of the `DPoP` header fields. A request with more than one is invalid (RFC 9449 §4.3).
  var proofs: [String] {
    self.headers.contains(.dpop) ? self.headers[values: .dpop] : []
  }
}
