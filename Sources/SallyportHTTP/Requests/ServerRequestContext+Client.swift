import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportServer

extension ServerRequestContext {
  /// The client's address, for quotas and throttles.
  var address: ClientAddress { ClientAddress(self.remoteAddress.description, bytes: self.remoteAddress.network) }

  /// The client's address and the request's identifier, for the audit trail.
  var origin: AuditOrigin {
    .request(self.id, from: self.remoteAddress.network.isEmpty ? nil : self.remoteAddress.description)
  }

  /// Like ``origin``, with the browser, for changes that cause a notification.
  func origin(of request: Request) -> AuditOrigin {
    var origin = self.origin
    origin.userAgent = request.headers[.userAgent]
    return origin
  }
}
