import SallyportProtocol
import SallyportServer

extension ClientRecord {
  /// The host of the client-ID document for a client that is known by such a document.
  var documentHost: String? {
    guard self.origin == .document else { return nil }
    return (try? EndpointURL(self.id.rawValue))?.displayHost
  }
}

extension EndpointURL {
  /// The host in lowercase, with the port if the URL names one other than 443.
  var displayHost: String? {
    guard let host = self.components.host?.lowercased() else { return nil }
    guard let port = self.components.port, port != 443 else { return host }
    return "\(host):\(port)"
  }
}
