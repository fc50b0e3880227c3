import SallyportLanguages
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a message says, without the link. The store keeps it as JSON, so the names of the members cannot change.
struct MailContent: Codable, Equatable, Sendable {
  /// The templates (``MailTemplate``).
  enum Template: String, Codable, CaseIterable, Sendable {
    case invitation, notification
    case passwordReset = "password-reset"
    case emailVerification = "email-verification"
    case signUp = "sign-up"
    case signUpInvitation = "sign-up-invitation"
    /// Sent if a visitor signs up with the email address of an existing account.
    case accountExists = "account-exists"
  }

  var template: Template
  var username: String
  /// The event of a notification (``AuditEvent``).
  var event: String?
  /// Whether an operator made the change, or created the link.
  var isByOperator = false
  /// The name of the upstream at which an identity was connected or disconnected, or the upstream's issuer if the
  /// upstream was removed; nil for other events.
  var provider: String?
  /// The browser that made the change, such as `Firefox`; empty if it is unknown, and nil if the change was not made
  /// with a browser. Earlier versions of the server stored the browser and its system here.
  var browser: String?
  /// The system of the browser, such as `Linux`; nil if it is unknown.
  var system: String?

  /// The tag of the language of the message; nil for the server's default.
  var language: String?
  /// When the link in the message expires; nil without a link.
  var linkExpiresAt: Timestamp?

  /// - Returns: Nil if the text cannot be decoded.
  init?(json: String) {
    guard let content = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
    self = content
  }

  init(
    _ template: Template, username: String, event: AuditEvent? = nil, isByOperator: Bool = false, provider: String? = nil,
    browser: BrowserName? = nil, language: Language? = nil, linkExpiresAt: Timestamp? = nil
  ) {
    self.template = template
    self.username = username
    self.event = event?.rawValue
    self.isByOperator = isByOperator
    self.provider = provider
    self.browser = browser.map { $0.product ?? "" }
    self.system = browser?.system
    self.language = language?.tag
    self.linkExpiresAt = linkExpiresAt
  }

  var json: String {
    // Encoding these members cannot fail, so `{}` is never used.
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
