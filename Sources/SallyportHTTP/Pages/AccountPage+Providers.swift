import SallyportLook
package import SallyportProtocol

extension AccountPage {
  /// The user's identities at other providers.
  package struct Providers: Sendable {
    package struct Entry: Sendable {
      package var issuer: String
      package var subject: String
      /// The name of the provider.
      package var name: String
      /// The user name or email address at the provider.
      package var label: String?
      package var connectedAt: Timestamp
      package var lastUsedAt: Timestamp?

      package init(
        issuer: String, subject: String, name: String, label: String? = nil, connectedAt: Timestamp, lastUsedAt: Timestamp? = nil
      ) {
        self.issuer = issuer
        self.subject = subject
        self.name = name
        self.label = label
        self.connectedAt = connectedAt
        self.lastUsedAt = lastUsedAt
      }
    }

    package var entries: [Entry]
    /// The providers that the user can connect.
    package var choices: [UpstreamChoice]

    package init(entries: [Entry], choices: [UpstreamChoice]) {
      self.entries = entries
      self.choices = choices
    }
  }
}

/// The providers as the template of the account page shows them.
struct ProvidersView {
  struct Entry {
    let issuer: String
    let subject: String
    let name: String
    let label: String?
    let connected: DisplayTime
    let lastUsed: DisplayTime?
  }

  let entries: [Entry]
  let choices: [UpstreamChoice]

  /// - Returns: Nil if there is nothing to show.
  init?(_ providers: AccountPage.Providers, _ texts: PageTexts) {
    guard !providers.entries.isEmpty || !providers.choices.isEmpty else { return nil }
    self.entries = providers.entries.map { entry in
      Entry(
        issuer: entry.issuer, subject: entry.subject, name: DisplayText.clean(entry.name) ?? entry.issuer,
        label: entry.label.flatMap { DisplayText.clean($0) }, connected: DisplayTime(entry.connectedAt, texts),
        lastUsed: entry.lastUsedAt.map { DisplayTime($0, texts) })
    }
    self.choices = providers.choices
  }
}
