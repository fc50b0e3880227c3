import SallyportProtocol

/// Why something was refused, or how it came about. The raw values are stored.
public enum AuditReason: String, Sendable, CaseIterable {
  // A sign-in that was refused
  case unknownAccount = "unknown-account"
  case wrongPassword = "wrong-password"
  case accountDisabled = "account-disabled"
  /// The password was changed or the account disabled while the old password was being checked.
  case accountChanged = "account-changed"
  /// Too many attempts came before.
  case throttled
  /// Too many passwords were being checked at the same time.
  case overloaded

  // A sign-out
  /// The person's own wish.
  case person
  /// The person agreed to an app's wish.
  case app
  /// The same, and the app said by an ID token whom it means.
  case hint
  /// Somebody else signed in in the same browser.
  case otherPerson = "other-person"

  // A grant
  /// The person agreed to it there and then.
  case consentGiven = "consent-given"
  /// The person had agreed to the same before.
  case consentRemembered = "consent-remembered"
  /// A device fetched what its person had approved.
  case device

  // A client that did not prove who it is
  case unknownClient = "unknown-client"
  case credentialsMissing = "credentials-missing"
  case credentialsMalformed = "credentials-malformed"
  case wrongSecret = "wrong-secret"
  /// Right or wrong, the credentials are of another kind than the client is registered with.
  case wrongMethod = "wrong-method"
  case wrongAssertion = "wrong-assertion"
  case assertionReplayed = "assertion-replayed"

  // A client that came, changed or went
  /// The client itself, by registration (RFC 7591 and 7592).
  case itself
  /// The client itself, by a token that an operator had made.
  case initialAccessToken = "initial-access-token"
  /// The document at the URL that is its identifier.
  case document
  /// That document is no longer one.
  case documentWithdrawn = "document-withdrawn"
  /// Nobody has used it for a long time.
  case unused
  /// There were too many clients, and this one never obtained a grant.
  case evicted
  case wrongToken = "wrong-token"

  // A sign-out that a client was not told of
  case refused
  case givenUp = "given-up"
  case undeliverable

  // Keys
  /// Planned, with time for everybody to learn the new ones.
  case rotation
  /// After a leak: tokens of the old keys have ended.
  case immediately
}

extension AuditReason {
  /// Why a client's authentication failed; nil for what is no failed authentication, such as a store that does not answer.
  init?(_ reason: TokenError.Reason) {
    switch reason {
    case .clientUnknown: self = .unknownClient
    case .clientMissing, .secretMissing: self = .credentialsMissing
    case .authorizationMalformed, .severalAuthenticationMethods: self = .credentialsMalformed
    case .secretWrong: self = .wrongSecret
    case .authenticationMethod: self = .wrongMethod
    case .assertion(.replayed): self = .assertionReplayed
    case .assertion: self = .wrongAssertion
    default: return nil
    }
  }
}
