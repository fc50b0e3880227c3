import SallyportProtocol
import SallyportServer

extension AppFacts {
  /// What is registered of a client, RFC 7591 §2. Its logo is not among it: a picture from elsewhere would tell its host who signs in here
  /// and when, and nobody has checked whose picture it is (RFC 7591 §5).
  init(_ client: ClientRecord) {
    let details = client.details
    let pages = [
      ("Website", details.clientURI), ("Privacy policy", details.policyURI), ("Terms of service", details.termsOfServiceURI),
    ]
    self.init(
      links: pages.compactMap { label, address in
        guard let address, let url = try? EndpointURL(address), let host = url.components.host else { return nil }
        return Link(label: label, address: address, host: host)
      }, contacts: details.contacts ?? [])
  }
}
