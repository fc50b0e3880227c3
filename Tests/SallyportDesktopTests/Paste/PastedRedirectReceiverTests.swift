import Glibc
import Sallyport
import SallyportProtocol
import Synchronization
import TestSupport
import Testing

@testable import SallyportDesktop

@Suite("Pasted redirect URLs", .timeLimit(.minutes(1)))
struct PastedRedirectReceiverTests {
  /// A simulated keyboard, and a record of the prompts that the user has seen.
  final class Keyboard: Sendable {
    let reading: Int32
    private let writing: Mutex<Int32>
    private let prompts = Mutex<[PastePrompt]>([])
    let ready = Gate()

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      self.reading = ends[0]
      self.writing = Mutex(ends[1])
    }

    deinit {
      close(self.reading)
      self.endInput()
    }

    var rejections: [PasteRejection] {
      self.prompts.withLock { prompts in
        prompts.compactMap { if case .rejected(let reason, _) = $0 { reason } else { nil } }
      }
    }

    func see(_ prompt: PastePrompt) {
      self.prompts.withLock { $0.append(prompt) }
      if case .ready = prompt { self.ready.open() }
    }

    func type(_ text: String) {
      let bytes = Array(text.utf8)
      self.writing.withLock { descriptor in _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
    }

    func endInput() {
      self.writing.withLock { descriptor in
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
      }
    }
  }

  private static let server: ServerConfiguration = {
    guard let issuer = try? Issuer("https://id.example") else { preconditionFailure("the issuer is valid") }
    return ServerConfiguration(issuer: issuer)
  }()

  /// Waits for a response with `state=right`, and returns its callback URL.
  /// - Parameter typing: Returns the text that the user types for a redirect URI, or `nil` if the input ends.
  private func receive(
    _ keyboard: Keyboard, redirectURI: String? = nil, server: ServerConfiguration = Self.server,
    typing: @escaping @Sendable (RedirectURI) -> String?
  ) async throws -> String {
    let receiver = PastedRedirectReceiver(
      redirectURI: try redirectURI.map { try RedirectURI($0) }, descriptor: keyboard.reading, show: { keyboard.see($0) })
    return try await receiver.withRedirect(for: server) { bound in
      if let text = typing(bound.redirectURI) { keyboard.type(text) } else { keyboard.endInput() }
      return try await bound.response { $0.hasSuffix("state=right") }.callbackURL.reveal()
    }
  }

  @Test(
    "P-06: the URL that the browser shows is accepted, regardless of how it was copied",
    arguments: ["%", " % ", "\t%\r", "'%'", "\"%\"", "<%>", "\u{1B}[200~%\u{1B}[201~", "\n\n%"])
  func accepted(_ form: String) async throws {
    let keyboard = try Keyboard()
    // The percent sign stands for the URL.
    let url = try await self.receive(keyboard) { form.replacing("%", with: "\($0)?code=1&state=right") + "\n" }
    #expect(url.hasPrefix("http://127.0.0.1:") && url.hasSuffix("/oauth2redirect/id.example?code=1&state=right"))
    #expect(keyboard.rejections.isEmpty)
  }

  @Test("P-06: a URL without its scheme, as address bars show it, is accepted")
  func withoutScheme() async throws {
    let url = try await self.receive(Keyboard()) { "\($0.value.dropFirst("http://".count))?code=1&state=right\n" }
    #expect(url.hasPrefix("http://127.0.0.1:"))
  }

  @Test(
    "P-06: if the redirect URI has no path, the URL can have the path /, which browsers add",
    arguments: ["http://localhost:50123/", "localhost:50123/", "http://localhost:50123"])
  func noPath(_ pasted: String) async throws {
    let keyboard = try Keyboard()
    let url = try await self.receive(keyboard, redirectURI: "http://localhost:50123") { _ in
      "http://localhost:50123/x?code=1&state=right\nhttp://localhost:50123//?code=1&state=right\n\(pasted)?code=1&state=right\n"
    }
    #expect(url == (pasted.hasPrefix("http://") ? pasted : "http://\(pasted)") + "?code=1&state=right")
    #expect(keyboard.rejections == [.otherAddress, .otherAddress])
  }

  @Test("P-06: the last line does not need a line break")
  func noNewline() async throws {
    let keyboard = try Keyboard()
    let url = try await self.receive(keyboard) { uri in
      keyboard.type("\(uri)?code=1&state=right")
      return nil
    }
    #expect(url.hasSuffix("state=right"))
  }

  @Test(
    "C-16, P-06: text that is not the response is rejected with a reason, and the receiver waits until the response is pasted")
  func rejectIsNotAbort() async throws {
    let keyboard = try Keyboard()
    // The percent sign stands for the redirect URI.
    let rejected: [(String, PasteRejection)] = [
      ("hello", .otherAddress), ("https://id.example/authorize?state=right", .otherAddress),
      ("http://127.0.0.1:1/oauth2redirect/id.example?code=1&state=right", .otherAddress),
      ("%", .otherAddress), ("%/x?code=1&state=right", .otherAddress), ("\0", .otherAddress),
      ("%?code=1&state=wrong", .otherSignIn), ("%?error=access_denied", .otherSignIn), ("%?", .otherSignIn),
      (String(repeating: "x", count: 30_000), .tooLong), ("%?state=\u{1B}[2J", .otherSignIn),
    ]
    let url = try await self.receive(keyboard) { uri in
      (rejected.map(\.0) + ["%?code=2&state=right"]).map { $0.replacing("%", with: uri.value) + "\n" }.joined()
    }
    #expect(url.hasSuffix("code=2&state=right"))
    #expect(keyboard.rejections == rejected.map(\.1))
  }

  @Test(
    "C-17: the default redirect URI contains the issuer's host, a dynamic port, and the configured loopback host")
  func offered() async throws {
    let offered = Mutex<RedirectURI?>(nil)
    _ = try await self.receive(Keyboard()) { uri in
      offered.withLock { $0 = uri }
      return "\(uri)?state=right\n"
    }
    let uri = try #require(offered.withLock { $0 })
    #expect(uri.components.host == "127.0.0.1" && uri.components.path == "/oauth2redirect/id.example")
    #expect((49_152...65_535).contains(try #require(uri.components.port)))
    var server = Self.server
    server.loopbackHost = .localhost
    _ = try await self.receive(Keyboard(), server: server) { uri in
      offered.withLock { $0 = uri }
      return "\(uri)?state=right\n"
    }
    #expect(offered.withLock { $0?.components.host } == "localhost")
  }

  @Test(
    "a specified redirect URI is used unchanged, except that a loopback URI without a port gets one",
    arguments: [
      ("http://127.0.0.1:8400/cb", "http://127.0.0.1:8400/cb"), ("com.example.app:/cb", "com.example.app:/cb"),
      ("https://app.example/cb", "https://app.example/cb"), ("http://localhost/cb", "http://localhost:*/cb"),
      ("http://[::1]/cb", "http://[::1]:*/cb"),
    ])
  func registered(_ registered: String, _ pattern: String) async throws {
    let url = try await self.receive(Keyboard(), redirectURI: registered) { "\($0)?state=right\n" }
    // The asterisk stands for the port.
    let parts = pattern.split(separator: "*")
    #expect(url.hasPrefix(parts[0]) && url.hasSuffix("\(parts[parts.count - 1])?state=right"))
    #expect(parts.count == 2 || url == "\(pattern)?state=right")
  }

  @Test("the end of the input causes an error that says so")
  func ended() async throws {
    let keyboard = try Keyboard()
    let error = RedirectReceiverError.failed(reason: "standard input ended before a URL was pasted")
    await #expect(throws: error) { try await self.receive(keyboard) { _ in nil } }
  }

  @Test("a canceled wait ends immediately, and other readers get the input that follows")
  func canceled() async throws {
    let keyboard = try Keyboard()
    let task = Task { try await self.receive(keyboard) { _ in "" } }
    await keyboard.ready.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    keyboard.type("x")
    var byte: UInt8 = 0
    #expect(read(keyboard.reading, &byte, 1) == 1 && byte == UInt8(ascii: "x"))
  }

  @Test("P-06: a terminal does not show a pasted URL, does not truncate it, and is restored afterward")
  func terminal() async throws {
    let terminal = try PseudoTerminal()
    let modeWhileWaiting = Mutex<(echoes: Bool, isLineMode: Bool)?>(nil)
    let ready = Gate()
    let receiver = PastedRedirectReceiver(redirectURI: try RedirectURI("http://127.0.0.1:1/cb"), descriptor: terminal.descriptor)
    {
      prompt in
      guard case .ready = prompt else { return }
      modeWhileWaiting.withLock { $0 = terminal.mode }
      ready.open()
    }
    // In line mode, a terminal truncates a line after 4,096 bytes.
    let code = String(repeating: "c", count: 9_000)
    async let url = receiver.withRedirect(for: Self.server) { bound in
      try await bound.response { $0.hasSuffix("state=right") }.callbackURL.reveal()
    }
    await ready.wait()
    // The user types an x by mistake, and removes it with Backspace (DEL).
    terminal.type("http://127.0.0.1:1/cb?codx\u{7F}e=\(code)&state=right\r")
    #expect(try await url == "http://127.0.0.1:1/cb?code=\(code)&state=right")
    let mode = try #require(modeWhileWaiting.withLock { $0 })
    #expect(!mode.echoes && !mode.isLineMode)
    #expect(terminal.mode.echoes && terminal.mode.isLineMode)
    #expect(!terminal.shown().contains("c"))
  }

  @Test("the terminal is restored when the wait is canceled")
  func canceledTerminal() async throws {
    let terminal = try PseudoTerminal()
    let ready = Gate()
    let receiver = PastedRedirectReceiver(redirectURI: nil, descriptor: terminal.descriptor) { _ in ready.open() }
    let task = Task {
      try await receiver.withRedirect(for: Self.server) { try await $0.response { _ in false } }
    }
    await ready.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(terminal.mode.echoes && terminal.mode.isLineMode)
  }

  @Test("Ctrl-D, Ctrl-U, and Backspace work as usual, although the terminal does not process them")
  func keys() {
    // Ctrl-D is U+0004, Ctrl-U is U+0015, and Backspace is U+0008 or U+007F.
    var reader = LineReader()
    reader.read(Array("wrong\u{15}righ\u{8}ht\n\u{4}".utf8), editing: true)
    #expect(reader.next() == .text("right"))
    #expect(reader.next() == .end)
    reader.read(Array("aü\u{7F}b\n".utf8), editing: true)
    #expect(reader.next() == .text("ab"))
    reader.read(Array(repeating: 0x61, count: LineReader.maximumSize + 1) + Array("\u{15}short\n".utf8), editing: true)
    #expect(reader.next() == .text("short"))
    reader.read(Array("a\u{4}\u{15}\n".utf8), editing: false)
    #expect(reader.next() == .text("a\u{4}\u{15}"))
  }
}
