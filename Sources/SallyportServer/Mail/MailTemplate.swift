import SallyportLanguages
import SallyportLook

/// The texts of a message: the subject, and then the paragraphs in their order. Plain text and HTML come from the same
/// template, so both have the same paragraphs.
struct MailTemplate: Sendable, Equatable {
  enum Paragraph: Sendable, Equatable {
    case text(MailText)
    /// The link of the message: a button with this text in HTML, and the address in plain text.
    case link(label: MailText)
  }

  let subject: MailText
  let paragraphs: [Paragraph]

  init(_ content: MailContent) {
    switch content.template {
    case .invitation:
      self.subject = .invitationSubject
      self.paragraphs = [
        .text(.invitationCreated), .text(.invitationPassword), .link(label: .invitationButton), .text(.invitationExpires),
      ]
    case .passwordReset:
      self.subject = .resetSubject
      self.paragraphs = [
        .text(content.isByOperator ? .resetByOperator : .resetRequested), .link(label: .resetButton), .text(.resetExpires),
        .text(content.isByOperator ? .notificationUnexpected : .resetIgnore),
      ]
    case .emailVerification:
      self.subject = .emailSubject
      self.paragraphs = [.text(.emailRequested), .link(label: .emailButton), .text(.emailExpires)]
    case .signUp:
      self.subject = .signUpSubject
      self.paragraphs = [.text(.signUpRequested), .link(label: .signUpButton), .text(.signUpExpires)]
    case .signUpInvitation:
      self.subject = .signUpInvitationSubject
      self.paragraphs = [.text(.signUpInvitationReason), .link(label: .signUpButton), .text(.signUpInvitationExpires)]
    case .accountExists:
      self.subject = .existsSubject
      self.paragraphs = [.text(.existsReason), .text(.existsSignIn), .text(.existsForgot), .text(.existsIgnore)]
    case .notification:
      let actor: MailText =
        if content.isByOperator {
          .notificationByOperator
        } else if content.browser == nil {
          .notificationByUser
        } else {
          .notificationInBrowser
        }
      self.subject = Self.event(of: content)
      let advice: [Paragraph] =
        switch content.event.flatMap(AuditEvent.init(rawValue:)) {
        // `notificationAdvice` refers to the account page. A disabled or removed account has no account page, and after
        // an account was enabled, its user has nothing to do there.
        case .accountDisabled, .accountEnabled, .accountRemoved: [.text(.notificationUnexpected)]
        default: [.text(.notificationAdvice), .text(.notificationOperator)]
        }
      self.paragraphs = [.text(.notificationAccount), .text(actor)] + advice
    }
  }

  /// Returns the text that says what happened.
  private static func event(of content: MailContent) -> MailText {
    switch content.event.flatMap(AuditEvent.init(rawValue:)) {
    case .identityConnected where content.provider != nil: .providerConnected
    case .identityDisconnected where content.provider != nil: .providerDisconnected
    // The name of the event is part of the text's key. During an upgrade, a server of a newer version can queue a
    // message about an event that this version does not know.
    default: content.event.flatMap { MailText(rawValue: "event.\($0)") } ?? .otherEvent
    }
  }

  func subject(_ values: [String: Message.Argument], _ texts: MailTexts) -> String { texts(self.subject, values) }

  func plainText(_ values: [String: Message.Argument], link: String?, _ texts: MailTexts) -> String {
    self.paragraphs.compactMap { paragraph -> String? in
      switch paragraph {
      case .text(let text): texts(text, values)
      case .link: link
      }
    }
    .joined(separator: "\n\n") + "\n"
  }

  func html(_ values: [String: Message.Argument], link: String?, _ texts: MailTexts) -> String {
    let body = self.paragraphs.compactMap { paragraph -> String? in
      switch paragraph {
      case .text(let text):
        // `<bdi>` isolates a value whose script is written in a different direction from the text.
        "<p>\(texts(text, values, encodeText: HTMLText.escape) { "<bdi>\(HTMLText.escape($0))</bdi>" })</p>"
      case .link(let label):
        link.map { Self.button($0, HTMLText.escape(texts[label]), hint: HTMLText.escape(texts[.linkButtonHint])) }
      }
    }
    return """
      <!DOCTYPE html>
      <html lang="\(texts.language.tag)" dir="\(texts.language.direction.rawValue)">
      <head><meta charset="utf-8"><title>\(HTMLText.escape(self.subject(values, texts)))</title></head>
      <body style="font-family:sans-serif;line-height:1.5;max-width:36em;margin:0 auto;padding:1em;overflow-wrap:anywhere">
      \(body.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  private static func button(_ link: String, _ label: String, hint: String) -> String {
    let address = HTMLText.escape(link)
    let style = "display:inline-block;padding:.6em 1.2em;border-radius:.4em;background:#1a4fa3;color:#fff;text-decoration:none"
    return """
      <p><a href="\(address)" style="\(style)">\(label)</a></p>
      <p style="font-size:.85em">\(hint)<br><a href="\(address)" style="word-break:break-all">\(address)</a></p>
      """
  }
}
