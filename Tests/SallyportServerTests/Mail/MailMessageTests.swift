import Foundation
import SallyportLanguages
import SallyportProtocol
import ServerTestSupport
import Testing

@testable import SallyportServer

@Suite("Mail messages")
struct MailMessageTests {
  private func message(
    fromName: String = "Example Accounts", subject: String = "Hello", plainText: String = "Hello\n", html: String = "<p>Hello</p>"
  ) throws -> MailMessage {
    MailMessage(
      from: try #require(EmailAddress("accounts@id.example")), fromName: fromName,
      to: try #require(EmailAddress("ada@example.com")),
      subject: subject, sentAt: Timestamp(seconds: 1_800_000_000), id: "0001-abc_DEF", plainText: plainText, html: html)
  }

  @Test("a message has the header fields of RFC 5322, and two versions of its text")
  func format() throws {
    let mail = TestMail(try self.message(plainText: "Grüße, 世界\n", html: "<p>Grüße, 世界</p>\n").bytes)
    #expect(mail.recipient == "<ada@example.com>")
    #expect(mail.header["From"]?.hasSuffix(" <accounts@id.example>") == true)
    #expect(mail.senderName == "Example Accounts" && mail.subject == "Hello")
    #expect(mail.header["Date"] == "Fri, 15 Jan 2027 08:00:00 +0000")
    #expect(mail.header["Message-ID"]?.hasSuffix("<0001-abc_DEF@id.example>") == true)
    #expect(mail.header["Auto-Submitted"] == "auto-generated" && mail.header["MIME-Version"] == "1.0")
    #expect(mail.plainText == "Grüße, 世界\n" && mail.html == "<p>Grüße, 世界</p>\n")
    // The boundary is before each of the two versions and after the last one, so it separates four components.
    #expect(mail.source.components(separatedBy: "\n--=_0001-abc_DEF").count == 4)
  }

  @Test("RFC 2047 §2: all lines are ASCII with at most 76 characters, whatever the texts contain")
  func lines() throws {
    let long = String(repeating: "ä👩‍👩‍👧 ", count: 40)
    let bytes = try self.message(fromName: long, subject: long, plainText: long, html: long).bytes
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    #expect(lines.allSatisfy { $0.count <= 76 && $0.allSatisfy { (0x20..<0x7F).contains($0) } })
    #expect(TestMail(bytes).subject == long && TestMail(bytes).plainText == long)
  }

  @Test(
    "a name or a subject cannot add a header field",
    arguments: ["x\nBcc: eve@example.net", "x\r\n\r\n<p>", "x\u{2028}y", "=?utf-8?Q?=0ABcc:?="])
  func injection(_ text: String) throws {
    let mail = TestMail(try self.message(fromName: text, subject: text).bytes)
    #expect(mail.subject == text && mail.senderName == text)
    #expect(
      mail.header.keys.sorted() == [
        "Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To",
      ])
  }

  @Test("each placeholder is replaced once, its value is escaped in HTML, and both versions contain the link")
  func template() {
    let template = MailTemplate(MailContent(.invitation, username: "ada"))
    let texts = MailCatalogs.texts(.english)
    let values: [String: Message.Argument] = [
      "server": "<b>{username}</b> & co", "username": "<i>{expires}</i>", "expires": "<u>{server}</u>",
    ]
    #expect(template.subject(values, texts) == "Your account at <b>{username}</b> & co")
    let plain = template.plainText(values, link: "https://a?b=1&c", texts)
    #expect(plain.contains("at <b>{username}</b> & co was created") && plain.contains("\n\nhttps://a?b=1&c\n\n"))
    #expect(plain.contains("user name is <i>{expires}</i>.") && plain.contains("expires on <u>{server}</u>."))
    let html = template.html(values, link: "https://a?b=1&c", texts)
    #expect(html.contains("at <bdi>&lt;b&gt;{username}&lt;/b&gt; &amp; co</bdi> was created"))
    #expect(html.contains("user name is <bdi>&lt;i&gt;{expires}&lt;/i&gt;</bdi>."))
    #expect(html.contains("expires on <bdi>&lt;u&gt;{server}&lt;/u&gt;</bdi>."))
    #expect(html.contains("href=\"https://a?b=1&amp;c\"") && html.contains(">Choose a password</a>"))
    for tag in ["<b>", "<i>", "<u>"] { #expect(!html.contains(tag)) }
  }

  @Test(
    "a combining mark, a joiner, or a variation selector after a bracket or quote does not prevent its escaping",
    arguments: ["<b>\u{338}x<\u{338}script>", "\"\u{301} x", "'\u{FE0F}>\u{20D2}"])
  func combiningMarks(_ text: String) {
    let template = MailTemplate(MailContent(.invitation, username: "ada"))
    let values: [String: Message.Argument] = ["server": .text(text), "username": "x", "expires": "then"]
    let html = template.html(values, link: "https://a?\(text)", MailCatalogs.texts(.english))
    let harmless = template.html(
      ["server": "x", "username": "x", "expires": "then"], link: "https://a?x", MailCatalogs.texts(.english))
    func markup(_ html: String) -> String { String(decoding: html.utf8.filter(Array("<>\"'".utf8).contains), as: UTF8.self) }
    #expect(markup(html) == markup(harmless))
  }

  @Test("each event that causes a notification has a text, and every message names the server and contains its link, if any")
  func texts() {
    let names = ["server", "username", "expires", "time", "account", "event", "browser", "forgot"]
    let values: [String: Message.Argument] = names.reduce(into: [:]) { $0[$1] = .text("value of \($1)") }
    let texts = MailCatalogs.texts(.english)
    for event in AuditEvent.allCases where event.notifiesUser {
      #expect(MailText(rawValue: "event.\(event.rawValue)") != nil, "\(event)")
    }
    var content = MailContent(.notification, username: "ada", event: .passkeyAdded)
    content.event = "an event of a newer version"
    #expect(MailTemplate(content).subject == .otherEvent)
    for kind in MailContent.Template.allCases {
      let template = MailTemplate(MailContent(kind, username: "ada", event: .passkeyAdded))
      #expect(!template.subject(values, texts).isEmpty)
      let plain = template.plainText(values, link: "LINK", texts)
      let hasLink = kind != .notification && kind != .accountExists
      #expect(plain.contains("LINK") == hasLink && plain.contains("value of server"), "\(kind)")
    }
  }

  @Test(
    "every catalog has exactly the keys that the code uses, and the same arguments as the English catalog",
    arguments: MailCatalogs.languages)
  func catalogs(_ language: Language) throws {
    #expect(MailCatalogs.languages == Language.allCases)
    let english = try MailCatalogs.catalog(.english).messages
    let messages = try MailCatalogs.catalog(language).messages
    #expect(Set(messages.keys) == Set(MailText.allCases.map(\.rawValue)))
    for (key, message) in messages { #expect(message.arguments == english[key]?.arguments, "\(key)") }
    let html = MailTemplate(MailContent(.invitation, username: "a")).html([:], link: "https://a", MailCatalogs.texts(language))
    #expect(html.contains("<html lang=\"\(language.tag)\" dir=\"\(language.direction.rawValue)\">"))
  }

  @Test(
    "a notification names the browser that made the change",
    arguments: [
      ("Mozilla/5.0 (X11; Linux) Firefox/140.0", "Firefox on Linux"), ("curl/8", "curl"),
      ("Linux", "An unknown browser on Linux"),
      ("x", "An unknown browser"),
    ])
  func browser(userAgent: String, words: String) {
    let content = MailContent(.notification, username: "ada", event: .passkeyAdded, browser: BrowserName(userAgent: userAgent))
    #expect(content.browserWords(MailCatalogs.texts(.english)) == words)
  }
}
