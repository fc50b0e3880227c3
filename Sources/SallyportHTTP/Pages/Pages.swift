import Mustache
import SallyportLook

/// The pages that people see.
package struct Pages: Sendable {
  /// What every page says of the server.
  struct Site {
    let name: String
    let styleSheet: String
    let icon: String
  }

  let site: Site
  /// Compiled when the first page is shown: it takes a tenth of a start, and whoever starts the server waits for its port.
  private static let library = try? PageTemplate.library()

  /// - Parameter basePath: the path of the issuer, without a slash at its end, where it has one.
  package init(serverName: String, basePath: String = "") {
    self.site = Site(
      name: DisplayText.clean(serverName) ?? "Sallyport", styleSheet: basePath + Asset.styleSheet.path,
      icon: basePath + Asset.icon.path)
  }

  /// The view is a plain value, whose properties are the names that the template uses.
  func render(_ template: PageTemplate, _ view: some Sendable) -> String {
    // The templates are part of the program, and the library has every one of them, so nil cannot come back.
    Self.library?.render(view, withTemplate: template.rawValue) ?? ""
  }
}
