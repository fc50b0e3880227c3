/// The texts of mail in one language. Each language has a folder in `Resources/Mail`.
struct MailLanguage: Sendable {
  /// The language tag (BCP 47).
  let tag: String
  /// Short texts by name.
  private let phrases: [String: String]
  private let templates: [MailContent.Template: MailTemplate]

  static let english = MailLanguage(
    tag: "en", phrases: PackageResources.phrases_en_txt,
    templates: [
      .invitation: PackageResources.invitation_en_txt, .notification: PackageResources.notification_en_txt,
      .passwordReset: PackageResources.password_reset_en_txt,
      .emailVerification: PackageResources.email_verification_en_txt, .signUp: PackageResources.sign_up_en_txt,
      .signUpInvitation: PackageResources.sign_up_invitation_en_txt, .accountExists: PackageResources.account_exists_en_txt,
    ])

  private init(tag: String, phrases: [UInt8], templates: [MailContent.Template: [UInt8]]) {
    self.tag = tag
    self.templates = templates.mapValues { MailTemplate(String(decoding: $0, as: UTF8.self)) }
    self.phrases = String(decoding: phrases, as: UTF8.self).split(separator: "\n").reduce(into: [:]) { phrases, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      phrases[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }

  /// - Returns: The phrase; the name if there is no such phrase.
  func phrase(_ name: String) -> String { self.phrases[name] ?? name }

  func template(_ template: MailContent.Template) -> MailTemplate { self.templates[template] ?? MailTemplate("") }
}
