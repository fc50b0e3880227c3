import SallyportLanguages
import SallyportLook

/// Details about an app from its registration, besides the name. No detail is verified, so pages show the host of each
/// link and load nothing from that host.
package struct AppFacts: Sendable, Equatable {
  /// A page about the app.
  package struct Link: Sendable, Equatable {
    package var kind: Kind
    package var address: String
    /// The host of the address, shown next to the text of the link.
    package var host: String

    package enum Kind: Sendable, CaseIterable {
      case website, privacyPolicy, terms

      var text: PageText {
        switch self {
        case .website: .appWebsite
        case .privacyPolicy: .appPrivacyPolicy
        case .terms: .appTerms
        }
      }
    }

    package init(_ kind: Kind, address: String, host: String) {
      self.kind = kind
      self.address = address
      self.host = host
    }
  }

  package var links: [Link]
  /// How to reach the people responsible for the app, usually email addresses.
  package var contacts: [String]

  package init(links: [Link] = [], contacts: [String] = []) {
    self.links = links
    self.contacts = contacts
  }

  /// The values for the templates.
  struct View {
    struct Link {
      let label: String
      let address: String
      let host: String
    }

    let links: [Link]
    let contacts: String?
  }

  /// Returns the values for the templates, with at most three contacts.
  /// - Returns: Nil if there are no facts.
  func view(_ texts: PageTexts) -> View? {
    guard !self.links.isEmpty || !self.contacts.isEmpty else { return nil }
    let contacts = self.contacts.prefix(3).compactMap { DisplayText.clean($0, limit: 80) }
    let links = self.links.map { View.Link(label: texts[$0.kind.text], address: $0.address, host: $0.host) }
    return View(links: links, contacts: contacts.isEmpty ? nil : contacts.joined(separator: ", "))
  }
}
