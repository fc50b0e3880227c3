import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct PasteTests {
    @Test(
      "P-06, C-16: a user signs in with a browser on another machine and pastes the response URL; if the user pastes a different URL, sallyport asks again"
    )
    func paste() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let input = try TypedInput(folder: user.folder)
          let arguments = ["login", "--issuer", server.issuer, "--client-id", TestClient.notes.id, "--paste"]
          let login = try ChildProcess(input.command(user.command(arguments)), folder: user.folder)
          defer { login.end() }
          let page = try await Self.line(of: login, beginningWith: "\(server.issuer)/")
          let redirectURI = try await Self.line(of: login, beginningWith: "  http://127.0.0.1:").trimmingCharacters(
            in: .whitespaces)
          #expect(page.contains("request_uri=urn%3A"), "RFC 9126: the request was pushed, so the URL contains only a reference")

          let response = try await withTestBrowser("pasted") { browser in
            try await browser.open(page)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            return try await browser.waitForNavigation(to: redirectURI)
          }
          input.type("\(server.issuer)/sign-in")
          try await Self.waitForOutput(of: login, "This is not the expected URL")
          input.type("\(redirectURI)?code=stolen&state=guessed")
          try await Self.waitForOutput(of: login, "does not belong to this sign-in")
          #expect(login.exitStatus == nil)
          input.type(response)
          let finished = try await login.finish()
          #expect(finished.status == .exited(0), "\(finished)")
          #expect(finished.output.hasPrefix("Signed in to \(server.issuer)"))
          #expect(!finished.errorOutput.contains("code="))

          let token = try await user.sallyport("token")
          #expect(token.status == .exited(0) && token.line.split(separator: ".").count == 3, "\(token)")
        }
      }
    }

    @Test(
      "P-06: over SSH, for a client that may not use the device grant, sallyport asks for the response URL and gives the reason"
    )
    func chosenByEnvironment() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          var user = user
          user.environment["SSH_CONNECTION"] = "192.0.2.1 50000 192.0.2.2 22"
          // `script` runs the command on a new terminal.
          let command = "\(BuildFolder.command("sallyport")) login --issuer \(server.issuer) --client-id notes --timeout 1"
          let typed = ChildCommand("/usr/bin/script", ["-qec", command, "/dev/null"], environment: user.environment)
          // The input stays open, because `script` would pass the end of its input to the command.
          let input = try TypedInput(folder: user.folder)
          let finished = try await run(input.command(typed), folder: user.folder)
          // No URL is pasted, so the sign-in times out after one second.
          #expect(finished.status == .exited(4), "\(finished)")
          #expect(finished.output.contains("This is an SSH session"), "\(finished)")
          #expect(finished.output.contains("and paste it here"), "\(finished)")
        }
      }
    }

    @Test("P-06: over SSH, if sallyport registers itself, it asks for the response URL and gives the reason")
    func selfRegistered() async throws {
      try await withServer(clients: [], arguments: ["--registration", "open"]) { server in
        try await withUser { user in
          var user = user
          user.environment["SSH_CONNECTION"] = "192.0.2.1 50000 192.0.2.2 22"
          let command = "\(BuildFolder.command("sallyport")) login --issuer \(server.issuer) --timeout 1"
          let typed = ChildCommand("/usr/bin/script", ["-qec", command, "/dev/null"], environment: user.environment)
          let input = try TypedInput(folder: user.folder)
          let finished = try await run(input.command(typed), folder: user.folder)
          #expect(finished.status == .exited(4), "\(finished)")
          #expect(finished.output.contains("for clients that registered themselves"), "\(finished)")
          #expect(finished.output.contains("and paste it here"), "\(finished)")

          // Without a terminal, sallyport asks for the URL only with --paste.
          for arguments in [[], ["--device"]] {
            let refused = try await run(
              user.command(["login", "--issuer", server.issuer] + arguments), folder: user.folder)
            #expect(refused.status == .exited(1) && refused.errorOutput.contains("Use --paste"), "\(refused)")
          }
        }
      }
    }

    /// Waits for a line of the command's standard error. The last line is ignored, because it may be incomplete.
    private static func line(of process: ChildProcess, beginningWith prefix: String) async throws -> String {
      try await eventually("a line that begins with \(prefix)") {
        process.errorOutput.split(separator: "\n").dropLast().map(String.init).first { $0.hasPrefix(prefix) }
      }
    }

    private static func waitForOutput(of process: ChildProcess, _ text: String) async throws {
      try await eventually("the output: \(text)") { process.errorOutput.contains(text) ? () : nil }
    }
  }
}
