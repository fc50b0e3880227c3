package import SallyportProtocol

/// The name of the user who last signed in with a browser, sealed for a cookie.
///
/// The sign-in page shows the name so that the user can recognize the genuine page (RFC 8252 §8.7, rule S-18). The
/// cookie does not sign the user in.
package struct ReturningUser: Sendable {
  let sealer: Sealer

  /// The lifetime of the cookie.
  package static var lifetime: Duration { .seconds(180 * 86_400) }
  // Existing cookies are sealed with this text, so it cannot change.
  private static var context: String { "returning person" }

  package func seal(_ account: AccountRecord) -> Secret<String>? {
    self.sealer.sealText(account.username.value, context: Self.context).map { Secret($0) }
  }

  /// - Returns: The user name; nil if there is no cookie, or if this server did not seal it.
  package func username(of cookie: String?) -> String? {
    guard let cookie, cookie.utf8.count <= 1_024, let name = self.sealer.openText(cookie, context: Self.context) else {
      return nil
    }
    return Username(name)?.value
  }
}
