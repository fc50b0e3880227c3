package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Who signed in last in a browser, sealed for a cookie: a hint for the person, by which they know that the page is the one that they
/// know (RFC 8252 §8.7, rule S-18). It signs nobody in.
package struct ReturningPerson: Sendable {
  let sealer: Sealer

  /// How long a browser remembers.
  package static var lifetime: Duration { .seconds(180 * 86_400) }
  private static var context: String { "returning person" }

  package func seal(_ account: AccountRecord) -> Secret<String>? {
    (try? self.sealer.seal(account.username.value.utf8, context: Self.context)).map { Secret(Base64URL.encode($0)) }
  }

  /// - Returns: the user name; nil for anything that this server has not sealed.
  package func username(of cookie: String?) -> String? {
    guard let cookie, cookie.utf8.count <= 1_024, let sealed = Base64URL.decode(cookie),
      let name = try? self.sealer.open(sealed, context: Self.context)
    else { return nil }
    return Username(String(decoding: name, as: UTF8.self))?.value
  }
}
