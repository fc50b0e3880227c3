import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A user of an upstream, as described by a verified ID token. The userinfo endpoint can add claims that the ID token
/// lacks.
struct FederatedUser: Sendable {
  let issuer: String
  let subject: String
  /// The `sid` claim: the user's session at the upstream.
  let sessionID: String?
  let authenticatedAt: Timestamp?
  /// The `acr` claim.
  let context: String?
  var name: String?
  var preferredUsername: String?
  var email: String?
  var emailVerified: Bool?
  /// The values of the claims that the operator chose for the user name and the name. Nil if the operator chose none,
  /// or one that the other properties contain, or if the claim is missing.
  private(set) var chosen: (username: String?, name: String?) = (nil, nil)

  init(_ claims: IDTokenClaims) {
    self.issuer = claims.issuer
    self.subject = claims.subject
    self.sessionID = claims.sessionID.flatMap { LogoutToken.isValid(identifier: $0) ? $0 : nil }
    // The account page shows this time, and not every date before 1970 can be formatted.
    self.authenticatedAt = claims.authenticationTime.map { max(Timestamp(claim: $0.rounded(.down)), Timestamp(seconds: 0)) }
    self.context = claims.authenticationContext
    self.name = claims.name
    self.preferredUsername = claims.preferredUsername
    self.email = claims.email
    self.emailVerified = claims.emailVerified
  }

  /// Whether a claim that the operator chose is missing.
  func lacksClaims(chosenBy details: UpstreamDetails) -> Bool {
    let claims = details.chosenClaims
    return (claims.username != nil && self.chosen.username == nil) || (claims.name != nil && self.chosen.name == nil)
  }

  /// Reads the claims that the operator chose. A claim that is not a string counts as missing.
  /// - Parameter json: The claims of the verified ID token, or of the userinfo response.
  mutating func addClaims(chosenBy details: UpstreamDetails, from json: [UInt8]) {
    guard self.lacksClaims(chosenBy: details),
      let claims = try? JSONDecoder().decode([String: JSONValue].self, from: Data(json))
    else { return }
    func text(_ claim: String?) -> String? {
      guard let claim, case .string(let text)? = claims[claim] else { return nil }
      return text
    }
    let names = details.chosenClaims
    self.chosen = (self.chosen.username ?? text(names.username), self.chosen.name ?? text(names.name))
  }

  /// Whether the subject has at most 255 characters, all printable ASCII. OpenID Connect Core §2 requires ASCII.
  var hasValidSubject: Bool { LogoutToken.isValid(identifier: self.subject) }

  /// The session at the upstream, for the browser session that begins through it.
  var session: UpstreamSession {
    UpstreamSession(issuer: self.issuer, subject: self.subject, sessionID: self.sessionID)
  }

  /// The text by which the user recognizes the identity.
  var label: String? {
    (self.preferredUsername ?? self.email).flatMap { StorableText.clean($0, maximumBytes: 128) }
  }

  /// The email address; nil if the provider does not say that the address is verified, or if mail cannot be sent to it.
  var verifiedEmail: EmailAddress? { self.emailVerified == true ? self.email.flatMap { EmailAddress($0) } : nil }
}

extension UpstreamDetails {
  /// The claims that the operator chose for the user name and the name of a new account; nil for `preferred_username`,
  /// `email`, and `name`, which ``FederatedUser`` reads anyway.
  fileprivate var chosenClaims: (username: String?, name: String?) {
    (["preferred_username", "email"].contains(self.usernameClaim) ? nil : self.usernameClaim, self.nameClaim)
  }
}
