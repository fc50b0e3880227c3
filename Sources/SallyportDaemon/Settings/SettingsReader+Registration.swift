import SallyportProtocol

extension SettingsReader {
  /// `registration.schemes`.
  mutating func readSchemes() -> Set<String>? {
    self.readList(
      .registrationSchemes,
      "a list of private-use schemes without a period, in lowercase, such as 'cursor' (schemes that are registered with IANA cannot be allowed)"
    ) { $0 == $0.lowercased() && UndottedSchemes.canAllow($0) ? $0 : nil }.map(Set.init)
  }

  /// `registration.document-hosts`.
  mutating func readDocumentHosts() -> Set<String>? {
    self.readList(
      .registrationDocumentHosts,
      "a list of host names in lowercase, each with its port unless that is 443, such as apps.corp.example"
    ) { host in
      guard let url = try? EndpointURL("https://\(host)"), url.authority == host, host == host.lowercased(),
        url.components.port != 443
      else { return nil }
      return host
    }.map(Set.init)
  }
}
