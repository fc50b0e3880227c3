import Crypto
import Mustache
import SallyportProtocol

/// The pages that people see, compiled once.
package struct Pages: Sendable {
  /// The style sheet, to be served at ``styleSheetPath``.
  package static let styleSheet: [UInt8] = PackageResources.style_css
  /// A path that changes with the content, so that the answer may be cached for ever.
  package static let styleSheetPath = "/assets/style-\(Base64URL.encode(SHA256.hash(data: styleSheet).prefix(12))).css"

  private let serverName: String
  private let basePath: String

  /// Compiles the templates.
  /// - Parameter basePath: the path of the issuer, without a slash at its end, where it has one.
  /// - Throws: where a template is broken.
  package init(serverName: String, basePath: String = "") throws {
    self.serverName = serverName
    self.basePath = basePath
  }

  package func signIn(_ page: SignInPage) -> String { "" }
  package func consent(_ page: ConsentPage) -> String { "" }
  package func error(_ page: ErrorPage) -> String { "" }
  package func signedOut(_ page: SignedOutPage) -> String { "" }
  package func home(_ page: HomePage) -> String { "" }
  package func signOut(_ page: SignOutPage) -> String { "" }
}
