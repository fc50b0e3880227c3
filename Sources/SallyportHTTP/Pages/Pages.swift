import Crypto
import Mustache
import SallyportProtocol

/// The pages that people see, compiled once.
package struct Pages: Sendable {
  /// The style sheet, to be served at ``styleSheetPath``.
  package static let styleSheet: [UInt8] = PackageResources.style_css
  /// A path that changes with the content, so that the answer may be cached for ever.
  package static let styleSheetPath = "/assets/style-\(Base64URL.encode(SHA256.hash(data: styleSheet).prefix(12))).css"

  /// What every page says of the server.
  struct Site {
    let name: String
    let styleSheet: String
  }

  let site: Site
  private let library: MustacheLibrary

  /// Compiles the templates.
  /// - Parameter basePath: the path of the issuer, without a slash at its end, where it has one.
  /// - Throws: where a template is broken.
  package init(serverName: String, basePath: String = "") throws {
    self.site = Site(name: DisplayText.clean(serverName) ?? "Sallyport", styleSheet: basePath + Self.styleSheetPath)
    self.library = try PageTemplate.library()
  }

  /// The view is a plain value, whose properties are the names that the template uses.
  func render(_ template: PageTemplate, _ view: some Sendable) -> String {
    // The library has every template there is, so nil cannot come back.
    self.library.render(view, withTemplate: template.rawValue) ?? ""
  }
}
