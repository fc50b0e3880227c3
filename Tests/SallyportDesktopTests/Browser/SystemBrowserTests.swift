import Glibc
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@testable import SallyportDesktop

/// `watch` is the longest time for which `SystemBrowser.open` waits for the end of the program. With `.seconds(60)`, a
/// program that ends quickly, such as the test's `recorder`, has ended when `open` returns.
@Suite(.timeLimit(.minutes(3)))
struct SystemBrowserTests {
  private let folder = TemporaryFolder()
  private static let url = "https://issuer.example/authorize?state=a%20b&x=%24%28id%29&y=%27%2A%25s&z=,@~"

  /// A browser that writes its arguments, process properties (parent, session, and terminal), and open files to three
  /// files. The last command renames a file, so all files are complete when the file that ends with `.done` exists.
  private static let recorder = """
    #!/bin/sh
    for word in "$@"; do printf '%s\\n' "$word"; done > "$0.arguments"
    cut -d' ' -f4,6,7 < /proc/$$/stat > "$0.session"
    ls -l /proc/$$/fd | sed 's/.* \\([0-9]*\\) -> /\\1 /' > "$0.files"
    mv "$0.session" "$0.done"

    """

  @Test("C-25: the configured program receives the URL unchanged as one argument, after its own arguments")
  func oneArgument() async throws {
    let program = self.program("browser", Self.recorder)
    let browser = try SystemBrowser(command: "'\(program)' --new 'a b'", environment: Environment([:]), watch: .seconds(60))
    try await browser.open(try BrowserURL(Self.url))
    #expect(self.lines("browser.arguments") == ["--new", "a b", Self.url])
  }

  @Test("the program runs in its own session, without the terminal and the open files of the process that started it")
  func ownSession() async throws {
    let openFile = open("/dev/zero", O_RDONLY)
    defer { close(openFile) }
    let program = self.program("browser", Self.recorder)
    let browser = try SystemBrowser(command: program, environment: Environment([:]), watch: .seconds(60))
    try await browser.open(try BrowserURL(Self.url))
    // The parent process, the session, and the terminal, which is 0 if there is none.
    let numbers = try #require(self.lines("browser.done").first).split(separator: " ").map { Int32($0) }
    #expect(numbers[1] != getsid(0))
    #expect(numbers[2] == 0)
    let files = self.lines("browser.files")
    for stream in ["0 ", "2 "] { #expect(files.contains("\(stream)/dev/null")) }
    #expect(!files.contains { $0.contains("/dev/zero") })
  }

  @Test("the SDK does not wait for a browser that stays in the foreground, and no zombie is left when the browser exits")
  func neverBlocks() async throws {
    let program = self.program("browser", "#!/bin/sh\necho $$ > \"$0.pid\"\nmv \"$0.pid\" \"$0.started\"\nexec sleep 1000\n")
    let browser = try SystemBrowser(command: program, environment: Environment([:]), watch: .milliseconds(10))
    try await browser.open(try BrowserURL(Self.url))
    while self.lines("browser.started").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let process = try #require(self.lines("browser.started").first.flatMap { pid_t($0) })
    #expect(kill(process, 0) == 0)
    kill(process, SIGKILL)
    // The signal 0 also reaches a zombie, so the loop ends only if no zombie is left.
    while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("a missing or failing program is reported, and no other program is tried if the app specified one")
  func failures() async throws {
    let failing = self.program("failing", "#!/bin/sh\nexit 3\n")
    let environment = Environment(["BROWSER": self.program("other", Self.recorder)])
    for (command, error) in [
      ("/nonexistent/browser", UserAgentError.noBrowser(tried: ["/nonexistent/browser"])),
      ("no-such-program-anywhere", .noBrowser(tried: ["no-such-program-anywhere"])),
      (failing, .failed(program: failing, reason: "exit code 3")),
      (
        self.program("killed", "#!/bin/sh\nkill -9 $$\n"),
        .failed(program: "\(self.folder.path)/killed", reason: "ended by signal 9")
      ),
    ] {
      let browser = try SystemBrowser(command: command, environment: environment, watch: .seconds(60))
      await #expect(throws: error) { try await browser.open(try BrowserURL(Self.url)) }
    }
    #expect(self.lines("other.arguments").isEmpty)
  }

  @Test("C-05, P-05: the programs in $BROWSER are tried in order, before the system's opener")
  func browserVariable() async throws {
    let failing = self.program("failing", "#!/bin/sh\nexit 1\n")
    let good = self.program("good", Self.recorder)
    let last = self.program("last", Self.recorder)
    // The third entry is invalid, because its quotation mark is not closed.
    let environment = Environment(["BROWSER": "/nonexistent/x:\(failing):'broken:\(good) --url=%s -x:\(last)"])
    try await SystemBrowser(command: nil, environment: environment, watch: .seconds(60)).open(try BrowserURL(Self.url))
    #expect(self.lines("good.arguments") == ["--url=\(Self.url)", "-x"])
    #expect(self.lines("last.arguments").isEmpty)
  }

  @Test(
    "C-25: a BrowserURL cannot have an unsafe scheme, an unsafe character, or user information",
    arguments: [
      "file:///etc/passwd", "javascript:alert(1)", "-flag", "--help", "https://x.example/\"", "https://x.example/a b",
      "https://x.example/\n-x", "https://x.example/'\u{7F}", "data:text/html,x", "ftp://x.example/", "http://x.example/",
      "https://x.example/`id`", "https:/x", "", "https://user@x.example/", "https://x.example/é",
    ])
  func hostileURLs(_ text: String) {
    #expect(throws: (any Error).self) { try BrowserURL(text) }
  }

  static let loginHints = [
    "ada@example.com", "a b", "-flag", "--", "'; rm -rf ~; '", "\"$(id)\"", "`id`", "\n\r\t", "a&state=evil", "#fragment", "%",
    "%2",
    "%s", "javascript:alert(1)", "file:///etc/passwd", "\u{202E}evil", "\u{1F600}", "\\\\server\\share",
    String(repeating: "é", count: 1000),
  ]

  @Test(
    "C-26: the browser gets the URL of the request unchanged, and the URL is valid and contains the login hint",
    arguments: SystemBrowserTests.loginHints)
  func loginHint(_ hint: String) async throws {
    let program = self.program("browser", Self.recorder)
    let browser = try SystemBrowser(command: program, environment: Environment([:]), watch: .seconds(60))
    let (issuer, transport) = (try TestIssuer(), FakeTransport())
    issuer.publish(on: transport)
    let client = OAuthClient(
      issuer: issuer.issuer, clientID: "app", store: EncryptedFileStore(folder: self.folder.path + "/store"), transport: transport
    )
    let options = SignInOptions(scopes: [.openID], loginHint: hint)
    let signIn = Task { _ = try await client.signIn(options, via: browser, receiver: LoopbackReceiver()) }
    while self.lines("browser.done").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    signIn.cancel()
    await #expect(throws: SignInError.cancelled) { try await signIn.value }

    let arguments = self.lines("browser.arguments")
    let opened = try #require(arguments.first)
    #expect(arguments.count == 1 && opened.hasPrefix("https://id.example/authorize?"))
    #expect(opened.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || ":/?&=%".utf8.contains($0) })
    let parameters = try FormParameters(parsing: try #require(URIComponents(opened)?.query))
    #expect(parameters["login_hint"].map { Array($0.utf8) } == Array(hint.utf8))
    #expect(parameters["redirect_uri"]?.hasPrefix("http://127.0.0.1:") == true)
  }

  private func program(_ name: String, _ script: String) -> String {
    self.folder.write(name, Array(script.utf8), mode: 0o700)
    return "\(self.folder.path)/\(name)"
  }

  private func lines(_ name: String) -> [String] {
    String(decoding: self.folder.read(name) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
