import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportLanguages
import SallyportServer

extension ServerRequestContext {
  /// The client's address, for quotas and throttles.
  var address: ClientAddress { ClientAddress(self.remoteAddress.description, bytes: self.remoteAddress.network) }

  /// The request's identifier and, if known, the client's address, for the audit trail.
  var origin: AuditOrigin {
    .request(self.id, from: self.remoteAddress.network.isEmpty ? nil : self.remoteAddress.description)
  }

  /// Like ``origin``, with the browser and its language, for changes that cause a mail.
  func origin(of request: Request) -> AuditOrigin {
    var origin = self.origin
    origin.userAgent = request.headers[.userAgent]
    origin.language = request.headers[.acceptLanguage].flatMap {
      Language.preferred(acceptLanguage: $0, among: PageCatalogs.languages)
    }
    return origin
  }
}
