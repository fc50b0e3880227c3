import SallyportLanguages
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

/// In the pseudo-locale, each letter of a catalog's texts has an accent. So a word without an accent does not come from
/// a catalog. The names of the user and of the server are numbers, so they contain no such words.
@Suite("The pseudo-locale of mail")
struct MailPseudoLocaleTests {
  /// The content of each mail that the server sends.
  static let contents: [MailContent] =
    MailContent.Template.allCases.filter { $0 != .notification }.map { MailContent($0, username: "42") }
    + AuditEvent.allCases.filter(\.notifiesUser).map { MailContent(.notification, username: "42", event: $0) }
    + [
      MailContent(.notification, username: "42"),
      MailContent(.notification, username: "42", event: .passwordChanged, isByOperator: true),
      MailContent(.notification, username: "42", event: .identityConnected, provider: "5"),
      MailContent(.notification, username: "42", event: .identityDisconnected, provider: "5"),
      MailContent(.passwordReset, username: "42", isByOperator: true),
    ]
    + ["Firefox/1 Linux", "Firefox/1", "Linux", "?"].map {
      MailContent(.notification, username: "42", event: .passkeyAdded, browser: BrowserName(userAgent: $0))
    }

  /// Words that are the same in all languages: the time zone, and the names in the sample `User-Agent` fields.
  private static let untranslated: Set<String> = ["UTC", "Firefox", "Linux"]
  private static let link = "https://id.example/account/link?token=abc"

  @Test("the subject and both versions of each mail come from a catalog", arguments: Self.contents)
  func mails(_ content: MailContent) throws {
    let links = MailLinkSealer(try TestKeys.masterKey())
    let catalog = try PseudoLocale.catalog(MailCatalogs.catalog(.english))
    let composer = MailComposer(
      policy: MailPolicy(from: try #require(EmailAddress("accounts@id.example"))), serverName: "77",
      issuer: try Issuer("https://id.example"), links: links
    ) { MailTexts($0, catalog, english: Catalog()) }
    let record = MailRecord(
      content, to: try #require(EmailAddress("ada@example.com")), sealedLink: links.seal(Secret(Self.link)),
      at: Timestamp(seconds: 1_800_000_000))
    let mail = try #require(composer.message(record))
    // Without any words, the last check would always succeed.
    for words in [VisibleWords.text(mail.subject), VisibleWords.text(mail.plainText), VisibleWords.html(mail.html)] {
      #expect(words.count > 1)
    }
    let (plainText, html) = (Self.withoutURLs(mail.plainText), Self.withoutURLs(mail.html))
    let words = VisibleWords.text(mail.subject) + VisibleWords.text(plainText) + VisibleWords.html(html)
    #expect(PseudoLocale.wordsWithoutAccent(in: words).filter { !Self.untranslated.contains($0) } == [])
  }

  private static func withoutURLs(_ text: String) -> String {
    [self.link, "https://id.example/account/forgot-password", "https://id.example/account"].reduce(text) {
      $0.replacing($1, with: "")
    }
  }
}
