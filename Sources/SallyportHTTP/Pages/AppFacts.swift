import SallyportLook

/// What an app's registration says of the app besides its name. It is the app's own word: pages name the host of each link, and nothing
/// is loaded from there.
package struct AppFacts: Sendable, Equatable {
  /// A page about the app.
  package struct Link: Sendable, Equatable {
    package var label: String
    package var address: String
    /// Whose page it is, which the label does not say.
    package var host: String

    package init(label: String, address: String, host: String) {
      self.label = label
      self.address = address
      self.host = host
    }
  }

  package var links: [Link]
  /// Who answers for the app.
  package var contacts: [String]

  package init(links: [Link] = [], contacts: [String] = []) {
    self.links = links
    self.contacts = contacts
  }

  /// As the templates use it; nil where there is nothing to say.
  struct View {
    let links: [Link]
    let contacts: String?
  }

  var view: View? {
    guard !self.links.isEmpty || !self.contacts.isEmpty else { return nil }
    let contacts = self.contacts.prefix(3).compactMap { DisplayText.clean($0, limit: 80) }
    return View(links: self.links, contacts: contacts.isEmpty ? nil : contacts.joined(separator: ", "))
  }
}
