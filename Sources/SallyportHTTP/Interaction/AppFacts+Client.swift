import SallyportProtocol
import SallyportServer

extension AppFacts {
  /// The facts in a client's registration, RFC 7591 §2.
  ///
  /// The logo is not one of them: loading it would tell its host who signs in here and when, and nobody has checked whose logo it is
  /// (RFC 7591 §5). For a client that is known by a document, links to other hosts than the document's are left out, because the
  /// document proves nothing about them.
  init(_ client: ClientRecord) {
    let details = client.details
    let documentHost = client.documentHost
    let pages = [
      ("Website", details.clientURI), ("Privacy policy", details.policyURI), ("Terms of service", details.termsOfServiceURI),
    ]
    let links = pages.compactMap { label, address -> Link? in
      guard let address, let host = (try? EndpointURL(address))?.displayHost else { return nil }
      guard documentHost == nil || host == documentHost else { return nil }
      return Link(label: label, address: address, host: host)
    }
    self.init(links: links, contacts: details.contacts ?? [])
  }
}
