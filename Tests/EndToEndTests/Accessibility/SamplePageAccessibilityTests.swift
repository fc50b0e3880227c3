import BrowserDriver
import Foundation
import SallyportLanguages
import Testing

extension EndToEndTests {
  /// Checks every page in every language against WCAG 2.2 AA with axe-core. The pages contain sample values, and no
  /// authorization server runs.
  ///
  /// To save the time for loading each page, and axe-core in it, the browser loads one page of each kind and language,
  /// and then replaces what differs from page to page: the title, and the attributes and the content of the body.
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct SamplePageAccessibilityTests {
    @Test(
      "every page, the app's last page, and every mail are accessible in every language: light, dark, with forced colors, and with large text"
    )
    func allLanguages() async throws {
      // Two browsers at the same time, because this is the longest of the end-to-end tests.
      let halves = [Language.allCases.prefix(4), Language.allCases.dropFirst(4)]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for languages in halves {
          group.addTask { try await Self.check(Array(languages)) }
        }
        try await group.waitForAll()
      }
    }

    private static func check(_ languages: [Language]) async throws {
      try await withSampleServer(languages) { address in
        try await withBrowser { browser in
          for language in languages {
            for kind in SampleKind.allCases {
              let pages = "\(address)/\(kind)/\(language.tag)"
              try await browser.open(pages)
              try await browser.run(Axe.script())
              for appearance in PageAppearance.all where appearance.isDistinct {
                try await browser.show(appearance)
                let faults = try await self.faults(in: browser, on: pages, kind, appearance)
                #expect(faults == [], "\(language.tag), \(appearance.name)")
              }
            }
          }
        }
      }
    }

    /// A page and what is wrong with it.
    private struct Fault: Decodable, Equatable, CustomStringConvertible {
      var page: String
      var problem: String

      var description: String { "\(self.page): \(self.problem)" }
    }

    private static func faults(
      in browser: Browser, on pages: String, _ kind: SampleKind, _ appearance: PageAppearance
    ) async throws -> [Fault] {
      var faults: [Fault] = []
      var start = 0
      while true {
        // By default, WebDriver cancels a script after 30 seconds, so each script checks pages for only about 10
        // seconds.
        let part = try await browser.evaluate(
          self.script(pages: pages, from: start, kind, appearance), as: Part.self)
        faults += part.faults
        guard let next = part.next else { return faults }
        start = next
      }
    }

    private struct Part: Decodable {
      var faults: [Fault]
      /// The index of the next page; nil after the last one.
      var next: Int?
    }

    private static func script(
      pages: String, from start: Int, _ kind: SampleKind, _ appearance: PageAppearance
    ) throws -> String {
      let options = try Axe.options(kind.axeTags, appearance.axeRules)
      // An `isLong` page contains a very long app name. Only its layout is checked.
      return """
        return (async () => {
          const options = \(options);
          const pages = window.samples ??= await (await fetch('\(pages)/all.json')).json();
          const faults = [];
          const end = performance.now() + 10_000;
          let index = \(start);
          for (; index < pages.length && performance.now() < end; index += 1) {
            const page = pages[index];
            if (page.isLong && !\(appearance.changesLayout)) continue;
            const html = new DOMParser().parseFromString(page.html, 'text/html');
            document.title = html.title;
            for (const name of ['class', 'style']) {
              document.body.setAttribute(name, html.body.getAttribute(name) ?? '');
            }
            document.body.replaceChildren(...html.body.childNodes);
            document.querySelectorAll('details').forEach(details => { details.open = true; });
            document.querySelectorAll('form[hidden]').forEach(form => { form.hidden = false; });
            const note = problem => faults.push({page: page.name + (page.isLong ? ', long' : ''), problem});
            if (options && !page.isLong) {
              for (const violation of (await axe.run(document, options)).violations) {
                note(`${violation.id} (${violation.help}): ${violation.nodes.map(node => node.html).join(' | ')}`);
              }
            }
            const root = document.documentElement;
            if (root.scrollWidth > root.clientWidth) note(`${root.scrollWidth - root.clientWidth} pixels wider than the window`);
            for (const control of document.querySelectorAll('button, select, summary, .badge')) {
              if (control.scrollWidth > control.clientWidth + 1) note(`cut off: ${control.outerHTML}`);
            }
          }
          return {faults, next: index < pages.length ? index : null};
        })();
        """
    }
  }
}

extension PageAppearance {
  /// Whether this appearance can reveal faults that the appearances before it in ``all`` do not reveal.
  fileprivate var isDistinct: Bool { self.axeRules != [] || self.changesLayout }

  /// Whether text is laid out differently than in earlier appearances.
  fileprivate var changesLayout: Bool { ["light", "large-text", "phone", "narrow"].contains(self.name) }

  /// The rules of axe whose results can differ from those in the appearances before; nil for all rules, and empty if no
  /// result can differ.
  fileprivate var axeRules: [String]? {
    switch self.name {
    case "light": nil
    case "dark": ["color-contrast", "link-in-text-block"]
    case "forced-colors", "large-text": ["target-size", "scrollable-region-focusable", "link-in-text-block"]
    default: []
    }
  }
}
