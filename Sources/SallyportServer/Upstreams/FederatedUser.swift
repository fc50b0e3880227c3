import SallyportProtocol

/// A user of an upstream, as a verified ID token describes them.
struct FederatedUser: Sendable {
  /// The ID token that identifies the user, and the claims about the user. The userinfo endpoint can complete the claims.
  let issuer: String
  let subject: String
  let authenticatedAt: Timestamp?
  let context: String?
  var name: String?
  var preferredUsername: String?
  var email: String?
  var emailVerified: Bool?

  init(_ claims: IDTokenClaims) {
    self.issuer = claims.issuer
    self.subject = claims.subject
    self.authenticatedAt = claims.authenticationTime.flatMap { Int64(exactly: $0.rounded(.down)) }.map { Timestamp(seconds: $0) }
    self.context = claims.authenticationContext
    self.name = claims.name
    self.preferredUsername = claims.preferredUsername
    self.email = claims.email
    self.emailVerified = claims.emailVerified
  }

  /// Whether the subject consists of visible ASCII, as OpenID Connect Core §2 requires.
  var hasValidSubject: Bool { self.subject.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

  /// The text by which the user recognizes the identity.
  var label: String? {
    (self.preferredUsername ?? self.email).flatMap { StorableText.clean($0, maximumBytes: 128) }
  }

  /// The email address, if the provider says that it is verified, and mail can be sent to it.
  var verifiedEmail: EmailAddress? { self.emailVerified == true ? self.email.flatMap { EmailAddress($0) } : nil }
}
