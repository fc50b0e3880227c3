import SallyportProtocol

extension SettingsReader {
  /// `registration.schemes`.
  mutating func readSchemes() -> Set<String>? {
    self.readList(
      .registrationSchemes,
      "must be private-use schemes without a period, in lower case, such as cursor; schemes that are registered with IANA cannot be allowed"
    ) { $0 == $0.lowercased() && UndottedSchemes.canAllow($0) ? $0 : nil }.map(Set.init)
  }

  /// `registration.document-hosts`.
  mutating func readDocumentHosts() -> Set<String>? {
    self.readList(
      .registrationDocumentHosts, "must be host names in lower case, with a port unless it is 443, such as apps.corp.example"
    ) { host in
      guard let url = try? EndpointURL("https://\(host)"), url.authority == host, host == host.lowercased(),
        url.components.port != 443
      else { return nil }
      return host
    }.map(Set.init)
  }
}
