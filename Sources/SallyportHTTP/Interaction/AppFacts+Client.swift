import SallyportProtocol
import SallyportServer

extension AppFacts {
  /// Creates the facts from a client's registration (RFC 7591 §2).
  ///
  /// The logo is left out: if browsers loaded it, its host would learn who signs in and when, and no one has checked
  /// whose logo it is (RFC 7591 §5). If the client is identified by a metadata document, links to hosts other than the
  /// document's are left out too, because the document proves nothing about them.
  init(_ client: ClientRecord) {
    let details = client.details
    let documentHost = client.documentHost
    let pages: [(Link.Kind, String?)] = [
      (.website, details.clientURI), (.privacyPolicy, details.policyURI), (.terms, details.termsOfServiceURI),
    ]
    let links = pages.compactMap { kind, address -> Link? in
      guard let address, let host = (try? EndpointURL(address))?.displayHost else { return nil }
      guard documentHost == nil || host == documentHost else { return nil }
      return Link(kind, address: address, host: host)
    }
    self.init(links: links, contacts: details.contacts ?? [])
  }
}

extension ClientRecord {
  /// The host of the client metadata document; nil if the client is not identified by one.
  var documentHost: String? {
    guard self.origin == .document else { return nil }
    return (try? EndpointURL(self.id.rawValue))?.displayHost
  }
}

extension EndpointURL {
  /// The host in lowercase, with the port unless it is 443.
  var displayHost: String? {
    guard let host = self.components.host?.lowercased() else { return nil }
    guard let port = self.components.port, port != 443 else { return host }
    return "\(host):\(port)"
  }
}
