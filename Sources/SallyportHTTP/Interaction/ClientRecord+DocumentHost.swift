import SallyportProtocol
import SallyportServer

extension ClientRecord {
  /// The host of the client-ID document, in lowercase, for a client that is known by such a document.
  var documentHost: String? {
    guard self.origin == .document else { return nil }
    return (try? EndpointURL(self.id.rawValue))?.components.host?.lowercased()
  }
}
