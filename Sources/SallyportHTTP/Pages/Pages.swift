import Mustache
import SallyportLook

/// Renders the pages that users see.
package struct Pages: Sendable {
  /// The values that every page shows.
  struct Site {
    let name: String
    let styleSheet: String
    let icon: String
  }

  let site: Site
  /// Compiled when the first page is shown, because compiling takes a tenth of the server's startup time.
  private static let library = try? PageTemplate.library()

  /// - Parameter basePath: The path of the issuer without a trailing slash; empty if it has none.
  package init(serverName: String, basePath: String = "") {
    self.site = Site(
      name: DisplayText.clean(serverName) ?? "Sallyport", styleSheet: basePath + Asset.styleSheet.path,
      icon: basePath + Asset.icon.path)
  }

  /// Renders a template.
  /// - Parameter view: A value whose property names match the names in the template.
  func render(_ template: PageTemplate, _ view: some Sendable) -> String {
    // The templates are part of the program and all of them compile, so the result is never nil.
    Self.library?.render(view, withTemplate: template.rawValue) ?? ""
  }
}
