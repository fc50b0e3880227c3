import SallyportProtocol

/// Browsers in which people have signed in, by a cookie that only this server can make (OWASP's "device cookie").
///
/// Such a browser is not slowed by what strangers guess. The cookie signs nobody in. It has an identifier, so that each has a
/// budget of its own, and names with each account when its password was set: with a cookie that somebody got by an old password
/// they are a stranger.
package struct KnownBrowsers: Sendable {
  let sealer: Sealer

  /// How long a browser is known after a sign-in.
  package static var lifetime: Duration { .seconds(180 * 86_400) }
  private static var context: String { "known browser" }
  /// Of one browser; who signed in longest ago goes first.
  private static var maximumAccounts: Int { 4 }

  struct Known: Equatable {
    var id: String
    fileprivate var accounts: [String]

    func knows(_ account: AccountRecord) -> Bool {
      self.accounts.contains(KnownBrowsers.mark(account))
    }
  }

  /// - Returns: nil for anything that this server has not sealed.
  func open(_ cookie: String?) -> Known? {
    guard let cookie, cookie.utf8.count <= 1_024, let sealed = Base64URL.decode(cookie),
      let plain = try? self.sealer.open(sealed, context: Self.context)
    else { return nil }
    let lines = String(decoding: plain, as: UTF8.self).split(separator: "\n").map(String.init)
    return lines.first.map { Known(id: $0, accounts: Array(lines.dropFirst())) }
  }

  /// The cookie for a browser in which somebody has just signed in.
  func seal(adding account: AccountRecord, to known: Known?) -> Secret<String>? {
    let mark = Self.mark(account)
    let others = known?.accounts.filter { $0 != mark } ?? []
    let lines = [known?.id ?? RandomText.base64URL(bits: 128), mark] + others.prefix(Self.maximumAccounts - 1)
    let sealed = try? self.sealer.seal(lines.joined(separator: "\n").utf8, context: Self.context)
    return sealed.map { Secret(Base64URL.encode($0)) }
  }

  fileprivate static func mark(_ account: AccountRecord) -> String {
    "\(account.id.rawValue) \(account.passwordChangedAt.milliseconds)"
  }
}
