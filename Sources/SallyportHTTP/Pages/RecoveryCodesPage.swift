package import SallyportProtocol

/// The page that shows a user's new recovery codes. The server shows each code only once.
package struct RecoveryCodesPage: Sendable {
  /// What the user has just done.
  package enum Occasion: Sendable {
    case appAdded, passkeyAdded, newCodes

    var text: PageText {
      switch self {
      case .appAdded: .statusAppAdded
      case .passkeyAdded: .statusPasskeyAdded
      case .newCodes: .newRecoveryCodes
      }
    }
  }

  package var occasion: Occasion
  package var username: String
  package var codes: [Secret<String>]
  /// Whether the account has a password. If not, the codes can complete only a sign-in through another OpenID provider.
  package var acceptsPassword: Bool
  /// The path of the account page.
  package var accountAction: String

  package init(
    _ occasion: Occasion, username: String, codes: [Secret<String>], acceptsPassword: Bool = true, accountAction: String
  ) {
    self.occasion = occasion
    self.username = username
    self.codes = codes
    self.acceptsPassword = acceptsPassword
    self.accountAction = accountAction
  }
}
