import BrowserDriver
import Foundation
import Testing

extension Browser {
  /// Checks the current page with axe-core in every appearance, and saves a screenshot of each. Also checks that the
  /// page can be used with the keyboard.
  /// - Parameter page: The name of the page in failures and screenshots.
  func checkAccessibility(of page: String) async throws {
    try await self.openAllDetails()
    try await self.run(Axe.script())
    for appearance in PageAppearance.all {
      try await self.show(appearance)
      let violations = try await self.evaluate(
        Axe.check(checksContrast: !appearance.areColorsForced), as: [Axe.Violation].self)
      #expect(violations.isEmpty, "the page \(page), \(appearance.name)")
      let overflow = try await self.evaluate(
        "const page = document.documentElement; return page.scrollWidth - page.clientWidth;", as: Double.self)
      #expect(overflow <= 0, "the page \(page), \(appearance.name), is \(overflow) pixels wider than the window")
      try await keepScreenshot(of: self, "gallery-\(page)-\(appearance.name)")
    }
    try await self.show(PageAppearance.all[0])
    try await self.checkKeyboard(page)
  }

  func show(_ appearance: PageAppearance) async throws {
    try await self.resize(width: appearance.width, height: appearance.height)
    try await self.setColors(appearance.colorScheme, areForced: appearance.areColorsForced)
    try await self.run("document.documentElement.style.fontSize = '\(appearance.textSize)%'")
  }

  /// Opens all `details` elements, so that the checks cover their content.
  private func openAllDetails() async throws {
    try await self.run("document.querySelectorAll('details').forEach(details => { details.open = true })")
  }

  /// Checks that the Tab key reaches every control of the page in the order of the document, that the focus is visible,
  /// and that each control has an accessible name.
  private func checkKeyboard(_ page: String) async throws {
    // The script focuses an element before all controls, so that pressing Tab once must reach the first control.
    let controls = try await self.evaluate(
      """
      window.controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
        .filter(control => control.checkVisibility() && !control.disabled);
      const start = document.createElement('span');
      start.tabIndex = -1;
      document.body.prepend(start);
      start.focus();
      return window.controls.map(control => control.outerHTML.slice(0, 200));
      """, as: [String].self)
    for (index, control) in controls.enumerated() {
      try await self.press(.tab)
      let focused = try await self.evaluate("return window.controls.indexOf(document.activeElement)", as: Int.self)
      #expect(focused == index, "the page \(page): pressing Tab \(index + 1) times does not reach \(control)")
      let outline = try await self.evaluate(
        "return parseFloat(getComputedStyle(document.activeElement).outlineWidth)", as: Double.self)
      #expect(outline >= 2, "the page \(page): the focus is not visible on \(control)")
      // The browser computes accessible names some time after the page has changed.
      try await self.wait(for: "the accessible name of \(control) on the page \(page)", within: .seconds(10)) {
        try await !$0.nameOfFocusedElement.isEmpty
      }
    }
  }
}
