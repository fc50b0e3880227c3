import Foundation
import SallyportProtocol
import ServerTestSupport
import Testing

@testable import SallyportServer

@Suite("Messages")
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
    #expect(mail.source.components(separatedBy: "\n--=_0001-abc_DEF").count == 4)
  }

  @Test("all lines are ASCII with at most 78 characters, whatever the texts contain")
  func lines() throws {
    let long = String(repeating: "ä👩‍👩‍👧 ", count: 40)
    let bytes = try self.message(fromName: long, subject: long, plainText: long, html: long).bytes
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    #expect(lines.allSatisfy { $0.count <= 78 && $0.allSatisfy { (0x20..<0x7F).contains($0) } })
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

  @Test("a template replaces each value once, escapes it in HTML, and shows the link in both versions")
  func template() {
    let template = MailTemplate("Hello {name}\n\n{name} & {other}\n\n{link: Open \"it\"}\n")
    let values = ["name": "<b>{other}</b>", "other": "x"]
    #expect(template.subject(values) == "Hello <b>{other}</b>")
    #expect(template.plainText(values, link: "https://a?b=1&c") == "<b>{other}</b> & x\n\nhttps://a?b=1&c\n")
    let html = template.html(values, link: "https://a?b=1&c", hint: "Or:", language: .english)
    #expect(html.contains("<p><bdi>&lt;b&gt;{other}&lt;/b&gt;</bdi> &amp; <bdi>x</bdi></p>"))
    #expect(html.contains("href=\"https://a?b=1&amp;c\"") && html.contains(">Open &quot;it&quot;</a>") && !html.contains("<b>"))
  }

  @Test("every template and phrase exists in English, and no placeholder remains")
  func languages() throws {
    let language = MailLanguage.english
    let values = ["server", "username", "expires", "time", "account", "event", "actor"].reduce(into: [:]) { $0[$1] = "value" }
    for template in MailContent.Template.allCases {
      let text = language.template(template)
      #expect(!text.subject(values).isEmpty && !text.subject(values).contains("{"), "\(template)")
      let plain = text.plainText(values, link: "LINK")
      #expect(!plain.contains("{") && plain.contains("LINK") == (template != .notification), "\(template)")
    }
    for event in AuditEvent.allCases where event.notifiesUser {
      #expect(language.phrase(event.rawValue) != event.rawValue, "\(event)")
    }
    for name in ["by-operator", "in-browser", "by-user", "button-hint"] { #expect(language.phrase(name) != name, "\(name)") }
  }
}
