import HTTPTypes
import Hummingbird
import SallyportProtocol

extension Request {
  /// The values of the DPoP fields. More than one is an error (RFC 9449 §4.3).
  var proofs: [String] {
    self.headers.contains(.dpop) ? self.headers[values: .dpop] : []
  }
}
