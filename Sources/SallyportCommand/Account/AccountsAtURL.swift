import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportRemote

/// The accounts whose tokens may be sent to a URL, for commands that find the account by the URL.
struct AccountsAtURL {
  /// The accounts whose API is at the URL's origin, and the accounts without an API whose tokens may be sent to this
  /// origin.
  let atOrigin: [Account]
  /// The accounts of ``atOrigin`` that match the URL most closely: those whose API's path is the longest that is a
  /// prefix of the URL's path. An account without an API matches every path, as if its API had an empty path.
  let mostSpecific: [Account]

  /// - Parameters:
  ///   - url: The URL. Paths are compared by whole segments.
  ///   - accounts: All accounts.
  init(_ url: EndpointURL, of accounts: [Account]) {
    let candidates = accounts.compactMap { account in account.apiSegments(at: url).map { (account: account, path: $0) } }
    let path = url.segments
    let containing = candidates.filter { path.starts(with: $0.path) }
    let longest = containing.map(\.path.count).max()
    self.atOrigin = candidates.map(\.account)
    self.mostSpecific = containing.filter { $0.path.count == longest }.map(\.account)
  }

  /// The account to use among several candidates, in this order of preference:
  ///
  /// 1. the current account, if it is a candidate,
  /// 2. the only candidate with a session,
  /// 3. the first candidate, if no candidate has a session.
  ///
  /// - Parameters:
  ///   - candidates: ``atOrigin``, ``mostSpecific``, or other accounts that match the URL.
  ///   - current: The current account.
  ///   - signedIn: The accounts with a session.
  /// - Returns: `nil` if there are no candidates.
  /// - Throws: `ValidationError` if several candidates have a session and none of them is the current account. The
  ///   command must not guess which user a request is from.
  static func preferred(
    of candidates: [Account], current: Account?, signedIn: [Account]
  ) throws(ValidationError) -> Account? {
    if let current, candidates.contains(current) { return current }
    let usable = candidates.filter(signedIn.contains)
    guard usable.count <= 1 else { throw SwitchChoice.ambiguous(usable, of: signedIn) }
    return usable.first ?? candidates.first
  }
}

extension Account {
  /// Whether the issuer identifier has the URL's origin.
  fileprivate func isIssuer(at url: EndpointURL) -> Bool {
    (try? EndpointURL(self.issuer.value)).map { Origin($0) == Origin(url) } ?? false
  }
}

extension AccountBook {
  /// The account whose tokens are for a URL, if the user chose no account: one of ``AccountsAtURL/mostSpecific``, or if
  /// `ignoringPath` is `true`, one of ``AccountsAtURL/atOrigin``.
  ///
  /// `ignoringPath` is for git servers. The provider of a git server such as github.com often has its API on another
  /// host, for example api.github.com. If no account's tokens are for the git server's origin, this therefore returns
  /// an account without an API whose issuer identifier has this origin.
  /// - Returns: The account, or `nil` if there is none, and whether some account's tokens are for the URL's origin.
  /// - Throws: `ValidationError` if it is not clear which account the user means.
  func account(
    for url: EndpointURL, ignoringPath: Bool = false
  ) async throws -> (account: Account?, someAccountMatchesOrigin: Bool) {
    let signedIn = try await self.signedIn()
    let listedAccounts = try await self.accounts()
    let all = listedAccounts + signedIn.filter { !listedAccounts.contains($0) }
    let matching = AccountsAtURL(url, of: all)
    // The account that commands use if the user specifies neither an account nor a URL.
    let current = AccountChoice().preferred(of: listedAccounts) ?? AccountChoice().preferred(of: signedIn)
    var candidates = ignoringPath ? matching.atOrigin : matching.mostSpecific
    if ignoringPath, candidates.isEmpty { candidates = all.filter { $0.resource == nil && $0.isIssuer(at: url) } }
    let account = try AccountsAtURL.preferred(of: candidates, current: current, signedIn: signedIn)
    return (account, !matching.atOrigin.isEmpty)
  }
}
