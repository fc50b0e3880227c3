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
  /// - Parameter uiLocales: The `ui_locales` of the interaction to which the request belongs. They take precedence over
  ///   the language of the browser.
  func origin(of request: Request, uiLocales: String? = nil) -> AuditOrigin {
    var origin = self.origin
    origin.userAgent = request.headers[.userAgent]
    origin.language =
      uiLocales.flatMap { Language.preferred(uiLocales: $0, among: PageCatalogs.languages) }
      ?? request.headers[.acceptLanguage].flatMap {
        Language.preferred(acceptLanguage: $0, among: PageCatalogs.languages)
      }
    return origin
  }
}
