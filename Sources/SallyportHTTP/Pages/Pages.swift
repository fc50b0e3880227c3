import Mustache
import SallyportLook

/// The pages that people see, compiled once.
package struct Pages: Sendable {
  /// What every page says of the server.
  struct Site {
    let name: String
    let styleSheet: String
    let icon: String
  }

  let site: Site
  private let library: MustacheLibrary

  /// Compiles the templates.
  /// - Parameter basePath: the path of the issuer, without a slash at its end, where it has one.
  /// - Throws: where a template is broken.
  package init(serverName: String, basePath: String = "") throws {
    self.site = Site(
      name: DisplayText.clean(serverName) ?? "Sallyport", styleSheet: basePath + Asset.styleSheet.path,
      icon: basePath + Asset.icon.path)
    self.library = try PageTemplate.library()
  }

  /// The view is a plain value, whose properties are the names that the template uses.
  func render(_ template: PageTemplate, _ view: some Sendable) -> String {
    // The library has every template there is, so nil cannot come back.
    self.library.render(view, withTemplate: template.rawValue) ?? ""
  }
}
