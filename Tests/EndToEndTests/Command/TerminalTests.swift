import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct TerminalTests {
    @Test("in a terminal, login asks for the server and the client identifier, and asks again if the URL is invalid")
    func questions() async throws {
      try await withProvider { provider in
        try await withUser { user in
          let login = try Self.start(user, "login --scope repo " + Self.quoted(HTTPProvider.browserOptions))
          defer { login.process.end() }
          try await Self.waitForOutput(
            of: login.process, "The provider, such as google, or the URL of the authorization server: ")
          login.input.type("id.example.com")
          try await Self.waitForOutput(of: login.process, "did you mean https://id.example.com?")
          login.input.type(provider.issuer)
          try await Self.waitForOutput(of: login.process, "The client identifier")
          // With an empty client identifier, the command registers itself.
          login.input.type("")
          let finished = try await login.process.finish()
          #expect(finished.status == .exited(0) && finished.output.contains("Signed in to \(provider.issuer)"), "\(finished)")
          #expect(try provider.received("/register").count == 1)
        }
      }
    }

    @Test("in a terminal, Ctrl-C at a question cancels the command")
    func interrupted() async throws {
      try await withUser { user in
        let login = try Self.start(user, "login")
        defer { login.process.end() }
        try await Self.waitForOutput(of: login.process, "The provider, such as google, or the URL of the authorization server: ")
        login.input.type("\u{03}")
        let finished = try await login.process.finish()
        #expect(finished.status == .exited(4), "\(finished)")
      }
    }

    @Test("in a terminal, login shows what it is waiting for and how much time is left")
    func waiting() async throws {
      try await withProvider { provider in
        try await withUser { user in
          let target = "login --issuer \(provider.issuer) --client-id notes --scope repo --timeout 2"
          for (method, text) in [
            ("--browser /bin/true", "Waiting for your sign-in in the browser: 0:02 left."),
            // The remaining seconds vary, because the command first requests the code.
            ("--device", "Waiting for you to enter the code: 0:0"),
          ] {
            let login = try Self.start(user, "\(target) \(method)")
            defer { login.process.end() }
            try await Self.waitForOutput(of: login.process, text)
            if method.hasPrefix("--browser") {
              try await Self.waitForOutput(of: login.process, "Waiting for your sign-in in the browser: 0:01 left.")
              let finished = try await login.process.finish()
              #expect(finished.status == .exited(4), "\(finished)")
            }
          }
        }
      }
    }

    /// Starts `sallyport` on a new terminal.
    private static func start(_ user: UserHome, _ arguments: String) throws -> (process: ChildProcess, input: TypedInput) {
      let command = "exec \(BuildFolder.command("sallyport")) \(arguments)"
      let script = ChildCommand("/usr/bin/script", ["-qec", command, "/dev/null"], environment: user.environment)
      // The input stays open, because `script` would pass the end of its input to the command.
      let input = try TypedInput(folder: user.folder)
      return (try ChildProcess(input.command(script), folder: user.folder), input)
    }

    private static func quoted(_ words: [String]) -> String {
      words.map { "'\($0)'" }.joined(separator: " ")
    }

    private static func waitForOutput(of process: ChildProcess, _ text: String) async throws {
      try await eventually("the output: \(text)") { process.output.contains(text) ? () : nil }
    }
  }
}
