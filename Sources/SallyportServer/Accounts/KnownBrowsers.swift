import SallyportProtocol

/// Recognizes browsers with which users have signed in before, by a sealed cookie (a *device cookie* in OWASP's terms).
///
/// Failed sign-ins in other browsers do not delay sign-ins in a known browser. The cookie does not sign the user in. It
/// contains an identifier of the browser, so that the failed sign-ins of each known browser are counted separately. For
/// each account, the cookie contains the time at which the password was set, so after a password change the browser is
/// no longer known for that account.
package struct KnownBrowsers: Sendable {
  let sealer: Sealer

  /// The lifetime of the cookie. A sign-in with a password, a code, or a passkey renews the cookie, except on a public
  /// device.
  package static var lifetime: Duration { .seconds(180 * 86_400) }
  private static var context: String { "known browser" }
  /// The maximum number of accounts per browser. The account that signed in longest ago is dropped first.
  private static var maximumAccounts: Int { 10 }

  struct Browser: Equatable {
    var id: String
    /// The cookie's entries (``KnownBrowsers/entry(for:)``) for the accounts to which users have signed in, most recent
    /// first.
    fileprivate var accounts: [String]

    func hasSignedIn(to account: AccountRecord) -> Bool {
      self.accounts.contains(KnownBrowsers.entry(for: account))
    }
  }

  /// - Returns: Nil if there is no cookie, or if this server did not seal it.
  func open(_ cookie: String?) -> Browser? {
    guard let cookie, cookie.utf8.count <= 1_024, let plaintext = self.sealer.openText(cookie, context: Self.context) else {
      return nil
    }
    // The first line is the identifier of the browser, and each other line is the entry of an account.
    let lines = plaintext.split(separator: "\n").map(String.init)
    return lines.first.map { Browser(id: $0, accounts: Array(lines.dropFirst())) }
  }

  /// Returns the cookie for a browser after a successful sign-in; nil if the cookie cannot be sealed.
  func seal(adding account: AccountRecord, to browser: Browser?) -> Secret<String>? {
    let entry = Self.entry(for: account)
    let others = browser?.accounts.filter { $0 != entry } ?? []
    let lines = [browser?.id ?? RandomText.base64URL(bits: 128), entry] + others.prefix(Self.maximumAccounts - 1)
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context).map { Secret($0) }
  }

  /// Returns the cookie's entry for an account: its identifier and the time at which its password was set.
  fileprivate static func entry(for account: AccountRecord) -> String {
    "\(account.id.rawValue) \(account.passwordChangedAt.milliseconds)"
  }
}
