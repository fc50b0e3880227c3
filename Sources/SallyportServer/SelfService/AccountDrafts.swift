package import SallyportProtocol

/// What a user entered in a form of the account page before having to sign in again.
package enum AccountDraft: Codable, Equatable, Sendable {
  case email(String)
  /// - Parameter id: The credential ID in base64url.
  case passkeyName(String, id: String)
}

/// Keeps a draft in a sealed cookie while the user signs in again, so that the form then contains what the user
/// entered.
///
/// A draft changes nothing: the user must submit the form again. It is bound to the identifier of the session, which
/// stays the same when the user signs in again.
package struct AccountDrafts: Sendable {
  let sealer: Sealer
  let now: TimeSource

  /// How long a draft is kept.
  package static var lifetime: Duration { .seconds(900) }
  /// The maximum size of a sealed draft, in bytes. Browsers may ignore a cookie of more than 4,096 bytes, including its
  /// name and attributes (RFC 6265 §6.1).
  private static var maximumSize: Int { 3_072 }

  private struct Content: Codable {
    let draft: AccountDraft
    let expiresAt: Timestamp
  }

  /// - Returns: Nil if the draft is too large, or cannot be sealed.
  package func seal(_ draft: AccountDraft, in session: BrowserSessions.Active) -> Secret<String>? {
    let content = Content(draft: draft, expiresAt: self.now() + Self.lifetime)
    guard let sealed = self.sealer.sealJSON(content, context: Self.context(session)), sealed.utf8.count <= Self.maximumSize
    else { return nil }
    return Secret(sealed)
  }

  /// - Returns: Nil if there is no draft, or if it has expired or belongs to another session.
  package func open(_ cookie: String?, in session: BrowserSessions.Active) -> AccountDraft? {
    guard let cookie, cookie.utf8.count <= Self.maximumSize,
      let content = self.sealer.openJSON(cookie, as: Content.self, context: Self.context(session)),
      self.now() < content.expiresAt
    else { return nil }
    return content.draft
  }

  private static func context(_ session: BrowserSessions.Active) -> String { "account draft\n\(session.record.id)" }
}
