package import SallyportProtocol

/// The value of a browser's session cookie: the tokens of its sessions, one for each account, separated by periods. The
/// first one is the default session.
///
/// A cookie of an earlier version, which allowed one account for each browser, contains one token, and is therefore
/// still valid.
package struct SessionCookie: Sendable {
  /// The maximum number of accounts that can be signed in with one browser.
  package static var maximumAccounts: Int { 10 }
  private static var separator: UInt8 { UInt8(ascii: ".") }

  package let value: Secret<String>
  /// Whether the cookie remains after the browser is closed. False if one of the sessions is on a public device.
  package let isPersistent: Bool
  /// Whether the default session is on a public device.
  package let isOnPublicDevice: Bool

  /// - Returns: Nil if there are no sessions, so that the browser must delete the cookie.
  init?(_ sessions: [(token: Secret<String>, isOnPublicDevice: Bool)]) {
    guard let first = sessions.first else { return nil }
    self.value = Secret(sessions.map { $0.token.reveal() }.joined(separator: String(UnicodeScalar(Self.separator))))
    self.isPersistent = !sessions.contains(where: \.isOnPublicDevice)
    self.isOnPublicDevice = first.isOnPublicDevice
  }

  package init?(_ sessions: [BrowserSessions.Active]) {
    self.init(sessions.map { ($0.token, $0.record.isOnPublicDevice) })
  }

  package func reveal() -> String { self.value.reveal() }

  /// Returns the tokens in the value of a request's cookie. Parts that are not tokens, and parts after the first
  /// ``maximumAccounts`` ones, are ignored.
  static func tokens(in cookie: String?) -> [OpaqueToken] {
    guard let cookie else { return [] }
    let parts = cookie.utf8.split(separator: Self.separator, maxSplits: Self.maximumAccounts, omittingEmptySubsequences: false)
    return parts.prefix(Self.maximumAccounts).compactMap { OpaqueToken(.browserSession, String(Substring($0))) }
  }
}
