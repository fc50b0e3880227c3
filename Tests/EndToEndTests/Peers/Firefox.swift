import BrowserDriver
import Foundation

/// Firefox, driven by `Tests/Peers/firefox.py`.
enum Firefox {
  struct Task: Encodable {
    /// The page to open.
    var url: String
    /// Whether a button on that page opens the sign-in in a window of its own.
    var popUp: Bool
    var username: String
    var password: String
    /// The text that the last page contains.
    var until: String

    init(_ url: String, popUp: Bool, as person: ServerHome.Person, until: String) {
      self.url = url
      self.popUp = popUp
      self.username = person.name
      self.password = person.password
      self.until = until
    }
  }

  struct Page: Decodable {
    var url: String
    var text: String
  }

  /// Signs the user in and allows what the app asks for.
  /// - Returns: the page that the browser shows at the end.
  static func signIn(_ task: Task) async throws -> Page {
    try await withTemporaryFolder { folder in
      let input = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
      let finished = try await run(Peers.script("firefox.py", [folder], input: input), folder: folder, within: .seconds(240))
      guard finished.status == .exited(0) else { throw Unexpected("Firefox: \(finished)") }
      return try JSONDecoder().decode(Page.self, from: Data(finished.line.utf8))
    }
  }
}
