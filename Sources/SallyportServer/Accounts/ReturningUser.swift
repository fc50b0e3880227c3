package import SallyportProtocol

/// Seals a cookie with the names of the users who have signed in with a browser. The name of the user who signed in
/// last comes first.
///
/// The sign-in page shows the first name so that the user can recognize the genuine page (RFC 8252 §8.7, rule S-18).
/// The cookie does not sign the user in.
package struct ReturningUser: Sendable {
  let sealer: Sealer

  /// The lifetime of the cookie.
  package static var lifetime: Duration { .seconds(180 * 86_400) }
  // Existing cookies are sealed with this text, so it cannot change.
  private static var context: String { "returning person" }
  /// The maximum number of names.
  private static var maximumNames: Int { 5 }

  /// Returns the new cookie after a user has signed in; nil if it cannot be sealed. The user's name comes first, before
  /// the names in the browser's previous cookie.
  package func seal(_ account: AccountRecord, addingTo cookie: String? = nil) -> Secret<String>? {
    let name = account.username.value
    return self.seal([name] + self.usernames(of: cookie).filter { $0 != name })
  }

  /// Returns the cookie without this user name; nil if no name is left, or the cookie cannot be sealed.
  package func seal(removing username: String, from cookie: String?) -> Secret<String>? {
    self.seal(self.usernames(of: cookie).filter { $0 != username })
  }

  private func seal(_ names: [String]) -> Secret<String>? {
    guard !names.isEmpty else { return nil }
    let text = names.prefix(Self.maximumNames).joined(separator: "\n")
    return self.sealer.sealText(text, context: Self.context).map { Secret($0) }
  }

  /// - Returns: The user names in a cookie; empty if there is no cookie, or if this server did not seal it.
  package func usernames(of cookie: String?) -> [String] {
    guard let cookie, cookie.utf8.count <= 2_048, let text = self.sealer.openText(cookie, context: Self.context) else {
      return []
    }
    return text.split(separator: "\n").compactMap { Username(String($0))?.value }
  }
}
