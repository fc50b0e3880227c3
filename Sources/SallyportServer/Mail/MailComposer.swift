import SallyportProtocol

/// Writes messages from queued records.
struct MailComposer: Sendable {
  let policy: MailPolicy
  let serverName: String
  let issuer: Issuer
  let links: MailLinkSealer

  /// - Returns: Nil if the record is damaged, or its link was sealed with another master key.
  func message(_ record: MailRecord) -> MailMessage? {
    guard let recipient = EmailAddress(record.recipient), let content = MailContent(json: record.content) else { return nil }
    let link = record.sealedLink.flatMap { self.links.open($0) }
    guard (link == nil) == (record.sealedLink == nil) else { return nil }
    let language = MailLanguage.english
    let (template, values) = (language.template(content.template), self.values(of: content, record, language))
    return MailMessage(
      from: self.policy.from, fromName: self.policy.name ?? self.serverName, to: recipient, subject: template.subject(values),
      sentAt: record.createdAt, id: record.id, plainText: template.plainText(values, link: link?.reveal()),
      html: template.html(values, link: link?.reveal(), hint: language.phrase("button-hint"), language: language))
  }

  private func values(of content: MailContent, _ record: MailRecord, _ language: MailLanguage) -> [String: String] {
    var values = [
      "server": self.serverName, "username": content.username,
      "expires": MailTime(content.linkExpiresAt ?? record.expiresAt).text, "time": MailTime(record.createdAt).text,
      "account": self.issuer.url(appending: EndpointPath.account),
      "forgot": self.issuer.url(appending: EndpointPath.forgotPassword),
    ]
    values["event"] = content.event.map(language.phrase)
    let actor = language.phrase(content.isByOperator ? "by-operator" : content.browser == nil ? "by-user" : "in-browser")
    values["actor"] = content.browser.map { actor.replacing("{browser}", with: $0) } ?? actor
    return values
  }
}

/// Encrypts the links of queued mail, so that the store alone does not allow anyone to use them.
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
