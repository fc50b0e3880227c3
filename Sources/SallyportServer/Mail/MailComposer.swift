import SallyportLanguages
import SallyportProtocol

/// Writes messages from queued records.
struct MailComposer: Sendable {
  let policy: MailPolicy
  let serverName: String
  let issuer: Issuer
  let links: MailLinkSealer
  /// The language of messages whose content names no language.
  var language = Language.english
  var loadTexts: @Sendable (Language) -> MailTexts = { MailCatalogs.texts($0) }

  /// - Returns: Nil if the record is damaged, or its link was sealed with another master key.
  func message(_ record: MailRecord) -> MailMessage? {
    guard let recipient = EmailAddress(record.recipient), let content = MailContent(json: record.content) else { return nil }
    let link = record.sealedLink.flatMap { self.links.open($0) }
    // The record has a link that cannot be opened.
    if record.sealedLink != nil && link == nil { return nil }
    let texts = self.loadTexts(content.language.flatMap { Language(rawValue: $0) } ?? self.language)
    let (template, values) = (MailTemplate(content), self.values(of: content, record, texts))
    return MailMessage(
      from: self.policy.from, fromName: self.policy.name ?? self.serverName, to: recipient,
      subject: template.subject(values, texts), sentAt: record.createdAt, id: record.id,
      plainText: template.plainText(values, link: link?.reveal(), texts),
      html: template.html(values, link: link?.reveal(), texts))
  }

  private func values(of content: MailContent, _ record: MailRecord, _ texts: MailTexts) -> [String: Message.Argument] {
    let provider = Message.Argument.text(content.provider ?? "")
    return [
      "server": .text(self.serverName), "username": .text(content.username), "provider": provider,
      "expires": .text(MailTime(content.linkExpiresAt ?? record.expiresAt).text), "time": .text(MailTime(record.createdAt).text),
      "account": .text(self.issuer.url(appending: AccountPath.page.rawValue)),
      "forgot": .text(self.issuer.url(appending: AccountPath.forgotPassword.rawValue)),
      "event": .text(MailTemplate(content).subject(["server": .text(self.serverName), "provider": provider], texts)),
      "browser": .text(content.browserWords(texts)),
    ]
  }
}

extension MailContent {
  /// Returns text such as `Firefox on Linux`. An empty `browser` is an unknown browser.
  func browserWords(_ texts: MailTexts) -> String {
    switch (self.browser, self.system) {
    case (let browser?, let system?) where !browser.isEmpty:
      texts(.browserOnSystem, ["browser": .text(browser), "system": .text(system)])
    case (_, let system?): texts(.unknownBrowserOnSystem, ["system": .text(system)])
    case (let browser?, nil) where !browser.isEmpty: browser
    case (_, nil): texts[.unknownBrowser]
    }
  }
}

/// Encrypts the links of queued mail, so that someone who can read only the store cannot use them.
struct MailLinkSealer: Sendable {
  private let sealer: Sealer
  private static var context: String { "mail link" }

  init(_ masterKey: MasterKey) {
    self.sealer = masterKey.sealer(for: "mail links")
  }

  func seal(_ link: Secret<String>) -> [UInt8]? {
    try? self.sealer.seal(link.reveal().utf8, context: Self.context)
  }

  func open(_ sealed: [UInt8]) -> Secret<String>? {
    (try? self.sealer.open(sealed, context: Self.context)).map { Secret(String(decoding: $0, as: UTF8.self)) }
  }
}
