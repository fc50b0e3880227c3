import BrowserDriver
import Testing

extension EndToEndTests {
  @Suite struct BrowserDriverTests {
    private static let page = """
      data:text/html,<title>Gate</title><body><form action="https://app.example/answer"><input name="q" value="x">\
      <button name="decision" value="allow">Go</button></form><p id="scheme"></p>\
      <script>document.getElementById('scheme').textContent = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'\
      </script>
      """

    @Test("the driver reads, types, clicks, and reports navigations even to unreachable URLs")
    func drives() async throws {
      try await withBrowser(BrowserOptions(width: 390, height: 844, colorScheme: .dark)) { browser in
        try await browser.open(Self.page)
        #expect(try await browser.title == "Gate")
        #expect(try await browser.text(of: "#scheme") == "dark")
        #expect(try await Self.size(ofPNG: browser.screenshot) == [390, 844])
        try await browser.clear("input[name=q]")
        try await browser.type("it", into: "input[name=q]")
        try await browser.click("button[value=allow]")
        try await browser.wait(for: "the request of the form") { browser in
          try await browser.takeNavigations().contains("https://app.example/answer?q=it&decision=allow")
        }
      }
    }

    @Test("the driver can turn off JavaScript")
    func withoutScripts() async throws {
      try await withBrowser(BrowserOptions(scripting: false)) { browser in
        try await browser.open(Self.page)
        #expect(try await browser.text(of: "#scheme") == "")
        try await browser.pressEnter(in: "input[name=q]")
        try await browser.wait(for: "the form to be sent") { browser in
          try await browser.takeNavigations().contains { $0.hasPrefix("https://app.example/answer?q=x") }
        }
      }
    }

    @Test("an element that is replaced while it is read or clicked is found again")
    func changingPage() async throws {
      let page = """
        data:text/html,<body><button onclick="document.title = 'Clicked'">Go</button><script>
        let left = 300;
        const timer = setInterval(() => {
          document.body.replaceWith(document.body.cloneNode(true));
          if (--left == 0) { clearInterval(timer); document.body.append('Done') }
        }, 1);
        </script>
        """
      try await withBrowser { browser in
        try await browser.open(page.split(separator: "\n").joined(separator: " "))
        // `wait` ignores errors about elements that no longer exist, so it would hide the error that this test looks
        // for.
        try await eventually("the last replacement") { try await browser.text.contains("Done") ? () : nil }
        try await browser.click("button")
        #expect(try await browser.title == "Clicked")
      }
    }

    @Test("clicking a missing element throws an error")
    func missing() async throws {
      await #expect(throws: WebDriverError.self) {
        try await withBrowser { browser in try await browser.click("#nowhere") }
      }
    }

    /// Returns the width and the height of a PNG file, which are in its first chunk.
    private static func size(ofPNG bytes: [UInt8]) -> [Int] {
      [16, 20].map { start in bytes.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    }
  }

  @Suite struct ChildProcessTests {
    @Test("a child process reads its input, and its output, error output, and exit code are reported")
    func runs() async throws {
      try await withTemporaryFolder { folder in
        let child = try ChildProcess(
          ChildCommand("/bin/sh", ["-c", "cat; echo oh >&2; exit 7"], input: Array("hello".utf8)), folder: folder)
        #expect(try await child.waitForExit() == .exited(7))
        #expect(child.output == "hello")
        #expect(child.errorOutput == "oh\n")
      }
    }

    @Test("ending a child process also ends the processes that it started")
    func group() async throws {
      try await withTemporaryFolder { folder in
        let child = try ChildProcess(ChildCommand("/bin/sh", ["-c", "sleep 600 & echo $!; wait"]), folder: folder)
        let grandchild = try await eventually("the process ID of the shell's child") { Int32(child.output.dropLast()) }
        child.end()
        #expect(child.exitStatus == .signaled(9))
        try await eventually("the end of the group") { isRunning(grandchild) ? nil : () }
      }
    }

    @Test("a missing program is an error")
    func missing() async throws {
      try await withTemporaryFolder { folder in
        _ = #expect(throws: SpawnError.self) { _ = try ChildProcess(ChildCommand("/nowhere/program"), folder: folder) }
      }
    }
  }
}
