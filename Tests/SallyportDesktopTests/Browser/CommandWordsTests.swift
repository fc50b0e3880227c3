import SallyportSystem
import Testing

@testable import SallyportDesktop

struct CommandWordsTests {
  @Test(
    "C-25: a browser command is split into words without any expansion",
    arguments: [
      ("firefox", ["firefox"]), (" firefox  --new-tab\t-P 'my profile' ", ["firefox", "--new-tab", "-P", "my profile"]),
      (#""/opt/My Browser/run" a\ b"#, ["/opt/My Browser/run", "a b"]), (#"a "b\"c\\d\e""#, ["a", #"b"c\d\e"#]),
      ("a '' b", ["a", "", "b"]), ("x$HOME `id` $(id) ; rm * > f", ["x$HOME", "`id`", "$(id)", ";", "rm", "*", ">", "f"]),
      (#"a'b'"c"d"#, ["abcd"]),
    ])
  func words(_ text: String, _ words: [String]) throws {
    #expect(try CommandWords.split(text) == words)
    #expect(try BrowserCommand(text).arguments(opening: "https://x.example/?a=%s") == words + ["https://x.example/?a=%s"])
  }

  @Test(
    "an empty command and a command with unbalanced quotes are errors",
    arguments: [
      ("", BrowserCommandError.empty), ("  ", .empty), ("''", .empty), ("a 'b", .unbalancedQuotes), ("a \"b", .unbalancedQuotes),
      ("a\\", .unbalancedQuotes),
    ])
  func invalid(_ text: String, _ error: BrowserCommandError) {
    #expect(throws: error) { try BrowserCommand(text) }
  }

  @Test(
    "P-05: in an entry of $BROWSER, %s is the URL, %% is a percent sign, and a final & is removed; without %s, the URL is appended",
    arguments: [
      ("firefox", ["firefox", "URL"]), ("firefox -remote open(%s)", ["firefox", "-remote", "open(URL)"]),
      ("b --app=%s x", ["b", "--app=URL", "x"]), ("b 100%% &", ["b", "100%", "URL"]), ("b %s %s", ["b", "URL", "URL"]),
      ("b %", ["b", "%", "URL"]),
    ])
  func convention(_ text: String, _ words: [String]) throws {
    // `URL` in the expected words stands for this URL.
    let url = "https://x.example/?a=%25s%s&b"
    let expected = words.map { $0.split(separator: "URL", omittingEmptySubsequences: false).joined(separator: url) }
    #expect(try BrowserCommand(text).argumentsByConvention(opening: url) == expected)
  }
}
