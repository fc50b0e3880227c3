import Foundation

/// The accessibility rules of axe-core, as a script.
enum Axe {
  /// Returns the script, which `Scripts/peers` downloads, with an addition that removes all pseudo-elements from the
  /// page. axe does not determine the contrast of text in an element that has a pseudo-element.
  static func script() throws -> String {
    try String(contentsOfFile: "\(Peers.folder ?? "")/axe/axe_playwright_python/axe.min.js", encoding: .utf8) + """

      const plain = new CSSStyleSheet();
      plain.replaceSync('*::before, *::after { content: none !important; }');
      document.adoptedStyleSheets = [plain];
      """
  }

  /// Returns a function body that checks the whole page against WCAG 2.2 AA and axe's best practices.
  /// - Parameter checksContrast: Whether to check the contrast of colors. Pass `false` if the user's colors replace the
  ///   page's colors, because axe would compare the user's text color with the page's background color, which is not
  ///   shown.
  static func check(checksContrast: Bool) -> String {
    """
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const options = {
      runOnly: {type: 'tag', values: tags},
      rules: {'color-contrast': {enabled: \(checksContrast)}}
    };
    return axe.run(document, options).then(results => results.violations.map(violation => ({
      rule: violation.id, help: violation.help, elements: violation.nodes.map(node => node.html)
    })));
    """
  }

  /// Returns the options for `axe.run` as JSON; `null` if `rules` is empty, so that there is nothing to check.
  /// - Parameters:
  ///   - tags: The tags of the rules to check, if `rules` is nil.
  ///   - rules: The names of the rules to check; nil to check all rules with one of the tags.
  static func options(_ tags: [String], _ rules: [String]?) throws -> String {
    guard rules != [] else { return "null" }
    let selection = RunOnly(type: rules == nil ? "tag" : "rule", values: rules ?? tags)
    // By default, axe also describes the elements that pass, which takes most of the time.
    let options = Options(runOnly: selection, resultTypes: ["violations"])
    return String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
  }

  private struct Options: Encodable {
    var runOnly: RunOnly
    var resultTypes: [String]
  }

  private struct RunOnly: Encodable {
    var type: String
    var values: [String]
  }

  /// A rule that the page violates.
  struct Violation: Decodable, Hashable, CustomStringConvertible {
    var rule: String
    var help: String
    /// The HTML of each element that violates the rule.
    var elements: [String]

    var description: String { "\(self.rule) (\(self.help)): \(self.elements.joined(separator: " | "))" }
  }
}
