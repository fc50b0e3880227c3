import BrowserDriver
import Foundation

/// Firefox, controlled by `Tests/Peers/firefox.py`.
enum Firefox {
  struct SignInTask: Encodable {
    /// The page to open.
    var url: String
    /// Whether a button on that page opens the sign-in in a pop-up.
    var popUp: Bool
    var username: String
    var password: String
    /// The text by which the page at the end is recognized.
    var until: String

    init(_ url: String, popUp: Bool, as account: ServerHome.Account, until: String) {
      self.url = url
      self.popUp = popUp
      self.username = account.name
      self.password = account.password
      self.until = until
    }
  }

  struct Page: Decodable {
    var url: String
    var text: String
  }

  /// Signs the user in and consents.
  /// - Returns: The page at the end.
  static func signIn(_ task: SignInTask) async throws -> Page {
    try await withTemporaryFolder { folder in
      let input = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
      let finished = try await run(Peers.script("firefox.py", [folder], input: input), folder: folder, within: .seconds(240))
      guard finished.status == .exited(0) else { throw UnexpectedResult("Firefox: \(finished)") }
      return try JSONDecoder().decode(Page.self, from: Data(finished.line.utf8))
    }
  }
}
