import SallyportHTTPServer
import SallyportServer

extension ServerRequestContext {
  /// The client's address, for quotas and throttles.
  var address: ClientAddress { ClientAddress(self.remoteAddress.description, bytes: self.remoteAddress.network) }

  /// The client's address and the request's identifier, for the audit trail.
  var origin: AuditOrigin {
    .request(self.id, from: self.remoteAddress.network.isEmpty ? nil : self.remoteAddress.description)
  }
}
