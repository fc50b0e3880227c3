package import SallyportProtocol

/// An authorization request between its validation and the user's decision.
///
/// It is sealed in the URL instead of a server-side session. Viewing a page writes nothing, a restart does not
/// interrupt the user, and the user can continue in another browser (rule S-19). It describes the request, not who is
/// signed in.
package struct Interaction: Sendable {
  /// The identifier, which is consumed in the transaction that stores the code.
  package let id: String
  /// Whether the interaction can be presented again, because it is in a URL or belongs to a pushed request. If not, its
  /// identifier need not be consumed.
  let mayComeAgain: Bool
  package let startedAt: Timestamp
  package let expiresAt: Timestamp
  package let redirect: VerifiedRedirect
  package let scope: Scope
  package let challenge: CodeChallenge?
  package let nonce: String?
  package let prompt: Prompt
  package let maxAge: Int64?
  package let loginHint: String?
  package let requestedScope: Scope?
  package let resources: [String]
  package let boundKey: String?
  package let subject: AccountID?
  package let claims: RequestedClaims?

  /// The scope for which the user is asked, including that of individually requested claims.
  package var shownScope: Scope { Scope([self.scope, self.claims?.impliedScope ?? ""]) }

  /// Begins an interaction for a validated request.
  init(_ request: ValidatedAuthorizationRequest, at now: Timestamp, lifetime: Duration) {
    // All interactions of a pushed request share one identifier and expiration, so that consuming one consumes all.
    self.id = request.pushed?.interaction ?? OrderedID.random(at: now)
    self.mayComeAgain = request.pushed != nil
    self.startedAt = now
    self.expiresAt = (request.pushed?.expiresAt ?? now) + lifetime
    self.redirect = request.redirect
    self.scope = request.scope
    self.challenge = request.challenge
    self.nonce = request.nonce
    self.prompt = request.prompt
    self.maxAge = request.maxAge
    self.loginHint = request.loginHint
    self.requestedScope = request.requestedScope
    self.resources = request.resources
    self.boundKey = request.boundKey
    self.subject = request.subject
    self.claims = request.claims
  }

  /// Restores an interaction. Its client was read again, and its redirect URI verified again.
  init(_ sealed: SealedInteraction, redirect: VerifiedRedirect) {
    self.id = sealed.id
    self.mayComeAgain = true
    self.startedAt = sealed.startedAt
    self.expiresAt = sealed.expiresAt
    self.redirect = redirect
    self.scope = Scope(sealed.scope)?.intersection(redirect.client.scope) ?? ""
    self.challenge = sealed.challenge.flatMap { try? CodeChallenge(stored: $0) }
    self.nonce = sealed.nonce
    self.prompt = Prompt(rawValue: sealed.prompt)
    self.maxAge = sealed.maxAge
    self.loginHint = sealed.loginHint
    self.requestedScope = sealed.requestedScope.flatMap { Scope($0) }
    self.resources = sealed.resources ?? []
    self.boundKey = sealed.boundKey
    self.subject = sealed.subject.map { AccountID(rawValue: $0) }
    self.claims = sealed.claims
  }

  /// Whether a session satisfies this request. `prompt=login` and `max_age` can require a sign-in after the interaction
  /// began (OpenID Connect Core §3.1.2.1).
  package func accepts(_ session: BrowserSessionRecord) -> Bool {
    if let subject = self.subject, session.account != subject { return false }
    if session.authenticatedAt >= self.startedAt { return true }
    if self.prompt.contains(.login) || self.prompt.contains(.selectAccount) { return false }
    guard let maxAge = self.maxAge else { return true }
    return self.startedAt - session.authenticatedAt <= .seconds(maxAge)
  }
}

/// The part of an interaction that is sealed in the URL.
struct SealedInteraction: Codable {
  var id: String
  var startedAt: Timestamp
  var expiresAt: Timestamp
  var clientID: String
  var redirectURI: String
  var state: String?
  var scope: String
  var challenge: String?
  var nonce: String?
  var prompt: Int
  var maxAge: Int64?
  var loginHint: String?
  var mode: ResponseMode?
  var requestedScope: String?
  var resources: [String]?
  var boundKey: String?
  var subject: String?
  var claims: RequestedClaims?

  private enum CodingKeys: String, CodingKey {
    case id = "i"
    case startedAt = "b"
    case expiresAt = "e"
    case clientID = "c"
    case redirectURI = "u"
    case state = "t"
    case scope = "s"
    case challenge = "h"
    case nonce = "n"
    case prompt = "p"
    case maxAge = "m"
    case loginHint = "l"
    case mode = "o"
    case requestedScope = "q"
    case resources = "r"
    case boundKey = "k"
    case subject = "a"
    case claims = "x"
  }
}
