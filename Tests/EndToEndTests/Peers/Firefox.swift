import BrowserDriver
import Foundation

/// Firefox, controlled by `Tests/Peers/firefox.py`.
enum Firefox {
  /// An action of the user. `Tests/Peers/firefox.py` describes the actions.
  struct Step: Encodable {
    private let action: String
    private var selector: String?
    private var value: String?

    static func open(_ url: String) -> Step { Step(action: "open", value: url) }
    static func type(_ text: String, into selector: String) -> Step { Step(action: "type", selector: selector, value: text) }
    static func click(_ selector: String) -> Step { Step(action: "click", selector: selector) }
    static func wait(for text: String) -> Step { Step(action: "wait", value: text) }
    static let switchToNewWindow = Step(action: "newWindow")
    static let switchToFirstWindow = Step(action: "firstWindow")
    /// Adds an authenticator that lets the user create and use passkeys without a prompt.
    static let addAuthenticator = Step(action: "addAuthenticator")

    /// Fills in and submits the sign-in page.
    static func signIn(_ account: ServerHome.Account) -> [Step] {
      [
        .type(account.name, into: "input[name=username]"), .type(account.password, into: "input[name=password]"),
        .click("button[type=submit]"),
      ]
    }

    static let allow = Step.click("button[name=decision][value=allow]")
  }

  struct Page: Decodable {
    var url: String
    var text: String
  }

  /// Performs the steps in a browser with a new profile.
  /// - Returns: The page at the end.
  static func perform(_ steps: [Step]) async throws -> Page {
    try await withTemporaryFolder { folder in
      let input = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
      let finished = try await run(Peers.script("firefox.py", [folder], input: input), folder: folder, within: .seconds(240))
      guard finished.status == .exited(0) else { throw UnexpectedResult("Firefox: \(finished)") }
      return try JSONDecoder().decode(Page.self, from: Data(finished.line.utf8))
    }
  }
}
