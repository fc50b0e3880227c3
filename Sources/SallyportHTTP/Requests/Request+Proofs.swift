import HTTPTypes
import Hummingbird
import SallyportProtocol

extension Request {
  /// The values of the DPoP fields, RFC 9449 §4.3: there may be one.
  var proofs: [String] {
    self.headers.contains(.dpop) ? self.headers[values: .dpop] : []
  }
}
