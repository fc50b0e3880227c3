import SallyportLanguages

/// How an operator's pages look: the logo, the colors, the links below each page, and replaced templates and texts.
/// The name that the pages show is part of the server's configuration instead.
public struct Branding: Sendable {
  /// A link to a page of the operator.
  package struct Link: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
      case privacy, terms, support

      var text: PageText {
        switch self {
        case .privacy: .appPrivacyPolicy
        case .terms: .appTerms
        case .support: .brandSupport
        }
      }
    }

    package var kind: Kind
    package var address: String

    package init(_ kind: Kind, address: String) {
      self.kind = kind
      self.address = address
    }
  }

  package var logo: BrandLogo?
  /// The main color of the light and of the dark scheme; nil for the built-in colors.
  package var colors: (light: BrandColor, dark: BrandColor)?
  package var links: [Link] = []
  package var overrides = BrandOverrides()

  public init() {}

  /// The built-in style sheet, followed by rules with the operator's colors, if any.
  var styleSheet: Asset {
    guard let colors = self.colors else { return .styleSheet }
    // `ink` is the color of text on a button that has the main color.
    func rules(_ color: BrandColor, hover: BrandColor, ink: String) -> String {
      "--accent:\(color.text);--accent-hover:\(hover.text);--accent-ink:\(ink);--link:\(color.text)"
    }
    let (light, dark) = (colors.light, colors.dark)
    let css = """

      :root{\(rules(light, hover: light.mixed(with: .black), ink: "#ffffff"))}
      @media (prefers-color-scheme:dark){:root{\(rules(dark, hover: dark.mixed(with: .white), ink: "#000000"))}}

      """
    return Asset("style", "css", contentType: Asset.styleSheet.contentType, Asset.styleSheet.bytes + Array(css.utf8))
  }
}
