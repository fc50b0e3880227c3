/// Why a user signs in at an upstream. The purpose is stored, encrypted, until the upstream's response arrives.
package struct UpstreamPurpose: Codable, Sendable, Equatable {
  package enum Page: String, Codable, Sendable {
    /// An authorization request of an app.
    case interaction
    /// A device whose code the user has entered.
    case device
    /// The account page, or the confirmation of a change there.
    case account
    /// Connecting the identity with the account of the signed-in user.
    case connection
  }

  package let page: Page
  /// Where the user continues: the sealed interaction, or the name of a page of the account.
  package let destination: String
  /// The identifier of the interaction for which the user signs in. The account page has no interaction, and uses a
  /// text of its own instead.
  package let interaction: String
  /// Whether to ask for a code as a second factor even if the account does not require a code at each sign-in.
  package var wantsCode: Bool
  /// The only account that is accepted; nil for any account.
  package var account: AccountID?
  /// The fingerprint of the session in which the identity is connected, in base64url; nil for other purposes.
  package var session: String?
  /// Whether the user said that the device belongs to someone else. Nil in a purpose that an earlier version stored.
  private var publicDevice: Bool?

  package var isOnPublicDevice: Bool { self.publicDevice ?? false }

  package init(
    _ page: Page, destination: String, interaction: String, wantsCode: Bool = false, account: AccountID? = nil,
    session: String? = nil, isOnPublicDevice: Bool = false
  ) {
    self.page = page
    self.destination = destination
    self.interaction = interaction
    self.wantsCode = wantsCode
    self.account = account
    self.session = session
    self.publicDevice = isOnPublicDevice
  }
}
