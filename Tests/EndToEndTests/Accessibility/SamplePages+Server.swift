import Foundation
import HTTPTestSupport
import HTTPTypes
import Hummingbird
import Sallyport
import SallyportDesktop
import SallyportHTTP
import SallyportLanguages
import SocketTestSupport

@testable import SallyportServer

/// A kind of sample page. All pages of a kind have the same style.
enum SampleKind: String, CaseIterable {
  /// The server's pages.
  case server
  /// The page that remains in the browser after an app signed the user in or out.
  case last
  case mail

  /// Returns the pages of this kind. The names identify the pages in messages of failed tests.
  /// - Parameter appText: Replaces every text that an app or a user can choose, for example names.
  func pages(in language: Language, appText: String = "Notes") -> [(name: String, html: String)] {
    switch self {
    case .server: SamplePages(untrusted: appText, language: language).all
    case .last: Self.lastPages(in: language, appText: appText)
    case .mail: Self.mails(in: language, appText: appText)
    }
  }

  private static func lastPages(in language: Language, appText: String) -> [(name: String, html: String)] {
    let outcomes: [ReceivedRedirect.Outcome?] = [
      .signedIn(appName: appText), .signedIn(appName: nil), .denied, .failed, .signedOut(appName: appText), nil,
    ]
    return outcomes.map { ("\($0.map { "\($0)" } ?? "unknown")", LastPage.html($0, in: language)) }
  }

  private static func mails(in language: Language, appText: String) -> [(name: String, html: String)] {
    let names = ["server", "username", "expires", "time", "account", "forgot", "event", "browser"]
    let values: [String: Message.Argument] = Dictionary(uniqueKeysWithValues: names.map { ($0, .text(appText)) })
    return MailContent.Template.allCases.map { template in
      let content = MailContent(template, username: "ada", event: template == .notification ? .passwordChanged : nil)
      let link = "https://id.example/account/link?token=a"
      return ("\(template)", MailTemplate(content).html(values, link: link, MailCatalogs.texts(language)))
    }
  }

  /// The tags of the axe-core rules that apply to this kind. The best practices, such as headings and landmarks, do not
  /// apply to a mail, because a mail app shows the mail inside a page of its own.
  var axeTags: [String] {
    let standard = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    return self == .mail ? standard : standard + ["best-practice"]
  }
}

/// A sample page as JSON.
private struct SamplePage: Encodable {
  var name: String
  var html: String
  /// Whether the names in the page are very long (60 characters). Only the layout of such a page is checked.
  var isLong: Bool

  static func all(_ kind: SampleKind, _ language: Language) -> [SamplePage] {
    [("Notes", false), (String(repeating: "W", count: 60), true)].flatMap { text, isLong in
      kind.pages(in: language, appText: text).map { SamplePage(name: $0, html: $1, isLong: isLong) }
    }
  }
}

/// Serves the sample pages while `body` runs, and passes the server's address to `body`. The path `/KIND/LANGUAGE` is
/// the first page, and `/KIND/LANGUAGE/all.json` has all pages.
func withSampleServer(_ languages: [Language], _ body: @escaping @Sendable (String) async throws -> Void) async throws {
  try await SocketTestSupport.withServer { router in
    for asset in [Asset.styleSheet, .icon] {
      let contentType = asset.path.hasSuffix("css") ? "text/css" : "image/svg+xml"
      router.get(RouterPath(asset.path)) { _, _ in response(contentType, asset.bytes) }
    }
    for kind in SampleKind.allCases {
      for language in languages {
        let (path, pages) = ("/\(kind)/\(language.tag)", SamplePage.all(kind, language))
        router.get(RouterPath(path)) { _, _ in response("text/html", Array(pages[0].html.utf8)) }
        router.get(RouterPath(path + "/all.json")) { _, _ in
          response("application/json", Array(try JSONEncoder().encode(pages)))
        }
      }
    }
  } _: { port in
    try await body("http://127.0.0.1:\(port)")
  }
}

private func response(_ contentType: String, _ bytes: [UInt8]) -> Response {
  Response(status: .ok, headers: [.contentType: contentType], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
}
