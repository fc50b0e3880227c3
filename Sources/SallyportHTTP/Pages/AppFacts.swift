import SallyportLook

/// Details about an app from its registration, besides the name. No detail is verified, so pages show the host of each
/// link and load nothing from that host.
package struct AppFacts: Sendable, Equatable {
  /// A page about the app.
  package struct Link: Sendable, Equatable {
    package var label: String
    package var address: String
    /// The host of the address, shown next to the label.
    package var host: String

    package init(label: String, address: String, host: String) {
      self.label = label
      self.address = address
      self.host = host
    }
  }

  package var links: [Link]
  /// The people responsible for the app, usually as email addresses.
  package var contacts: [String]

  package init(links: [Link] = [], contacts: [String] = []) {
    self.links = links
    self.contacts = contacts
  }

  /// The values for the templates.
  struct View {
    let links: [Link]
    let contacts: String?
  }

  /// Nil if there are no facts.
  var view: View? {
    guard !self.links.isEmpty || !self.contacts.isEmpty else { return nil }
    let contacts = self.contacts.prefix(3).compactMap { DisplayText.clean($0, limit: 80) }
    return View(links: self.links, contacts: contacts.isEmpty ? nil : contacts.joined(separator: ", "))
  }
}
