import Crypto
import HTTPTestSupport
@testable import SallyportHTTP
import SallyportProtocol
import Testing

@Suite("Structure of the sample pages")
struct PageHygieneTests {
  let pages: [(name: String, markup: Markup)]

  init() {
    self.pages = SamplePages().all.map { ($0.name, Markup($0.html)) }
  }

  @Test(
    """
    S-28: a page has no inline style, no event handler, no external resource, and no script except those whose hashes are in \
    the content security policy
    """)
  func nothingInline() {
    let forbidden: Set = ["style", "iframe", "object", "embed", "img", "base", "template", "foreignobject"]
    for (name, markup) in self.pages {
      for element in markup.elements {
        if element.name == "script" {
          let hash = Pages.hash(ofScript: element.text)
          if hash == SubmitScript.hash, element.attributes.isEmpty { continue }
          #expect(hash == (name == "form post" ? Pages.formPostScriptHash : PasskeyPrompt.scriptHash), "\(name)")
          #expect(element.attributes.isEmpty && Self.scripted.contains(name), "\(name)")
          continue
        }
        #expect(!forbidden.contains(element.name.lowercased()), "\(name)")
        #expect(element.attributes.keys.allSatisfy { $0 != "style" && !$0.hasPrefix("on") }, "\(name)")
        // Links to other sites, such as an app's own pages, open a new tab and send no referrer.
        if element.name == "a", element["rel"] == "noreferrer noopener", element["target"] == "_blank" {
          #expect(element["href"]?.hasPrefix("https://") == true, "\(name)")
          continue
        }
        #expect(element["target"] == nil, "\(name)")
        // The link to the sign-out at another provider.
        if element.name == "a", name == "signed out, provider", element["rel"] == "noreferrer" {
          #expect(element["href"]?.hasPrefix("https://login.example/") == true)
          continue
        }
        // On Android, this link opens the server's own address in the browser.
        if element.name == "a", name == "web view on Android", element["href"]?.hasPrefix("intent://id.example/") == true {
          continue
        }
        // The form that posts the response to the app.
        if element.name == "form", name == "form post", element["action"]?.hasPrefix("https://web.example/") == true { continue }
        for link in [element["href"], element["src"], element["action"]].compactMap({ $0 }) {
          #expect(link.hasPrefix("/") && !link.hasPrefix("//"), "\(name)")
        }
      }
    }
  }

  @Test("each page with a form of the server has the script against double clicks once, and the page of a response does not")
  func submitScript() {
    for (name, markup) in self.pages {
      let count = markup.all("script").count { Pages.hash(ofScript: $0.text) == SubmitScript.hash }
      if name == "form post" { #expect(count == 0) } else if !markup.all("form").isEmpty { #expect(count == 1, "\(name)") }
    }
  }

  /// The names of the sample pages with other scripts.
  private static let scripted = Set(SamplePages().scripted.map(\.name))

  @Test("each page has a language, a title, a viewport, one style sheet, an icon, one main element, and one first-level heading")
  func skeleton() {
    for (name, markup) in self.pages {
      #expect(markup.first("html")?["lang"] == "en", "\(name)")
      #expect(markup.first("title")?.text.hasSuffix(" – Example Accounts") == true, "\(name)")
      #expect(markup.all("meta").contains { $0["name"] == "viewport" && $0["content"] == "width=device-width, initial-scale=1" })
      #expect(markup.all("link").map { $0["href"] } == [Asset.styleSheet.path, Asset.icon.path], "\(name)")
      #expect(markup.all("main").count == 1 && markup.all("h1").count == 1 && markup.all("header").count == 1, "\(name)")
    }
  }

  @Test("each visible field has a label, IDs are unique, and referenced descriptions exist")
  func labels() {
    for (name, markup) in self.pages {
      let ids = markup.elements.compactMap { $0["id"] }
      #expect(Set(ids).count == ids.count, "\(name)")
      let labels = markup.all("label").compactMap { $0["for"] }
      let fields = markup.elements.filter { ["input", "select"].contains($0.name) && $0["type"] != "hidden" }
      #expect(fields.map { $0["id"] } == labels, "\(name)")
      let described = markup.elements.compactMap { $0["aria-describedby"] }.flatMap {
        $0.split(separator: " ").map { String($0) }
      }
      #expect(described.allSatisfy(ids.contains), "\(name)")
      for image in markup.all("svg") {
        #expect(image["aria-hidden"] == "true" || image["role"] == "img" && image["aria-label"]?.isEmpty == false, "\(name)")
      }
    }
  }

  @Test("every template compiles in every language, and no page is empty")
  func templates() throws {
    for language in PageCatalogs.languages { _ = try PageTemplate.library(PageCatalogs.texts(language)) }
    #expect(self.pages.allSatisfy { $0.markup.first("title") != nil })
  }

  @Test("pages refer to assets below the issuer's path, and an asset's path contains the hash of its content")
  func assetPaths() {
    let hash = Base64URL.encode(SHA256.hash(data: Asset.styleSheet.bytes).prefix(12))
    #expect(Asset.styleSheet.path == "/assets/style-\(hash).css")
    let page = Pages(serverName: "Example", basePath: "/tenant").home(HomePage())
    #expect(Markup(page).all("link").map { $0["href"] } == [Asset.styleSheet, .icon].map { "/tenant" + $0.path })
  }

  @Test("the error page says what happened, what to do next, and the request's ID")
  func errorPage() {
    let page = ErrorPage(
      title: "Expired", explanation: "It was open too long.", advice: "Start again.", requestID: "r-17", status: 400)
    let html = Pages(serverName: "Example").error(page)
    for part in ["<h1>Expired</h1>", "It was open too long.", "Start again.", "<code>r-17</code>", "400"] {
      #expect(html.contains(part))
    }
  }
}
