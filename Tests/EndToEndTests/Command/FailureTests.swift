import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct FailureTests {
    /// A failure as JSON.
    private struct Report: Decodable {
      var error: String
      var description: String
      var advice: String?
      var exitCode: Int32
    }

    @Test("with --json, a failure is one JSON object on standard error, and standard output is empty")
    func json() async throws {
      try await withUser { user in
        for (arguments, error, code) in [
          (["token", "--json"], "sign_in_needed", Int32(3)), (["token", "--output", "json", "--refresh"], "sign_in_needed", 3),
          (["whoami", "--json", "--profile", "work"], "sign_in_needed", 3), (["login", "--json"], "usage", 2),
          (["accounts", "--json", "--unknown"], "usage", 2), (["request", "--json", "http://api.example/"], "usage", 2),
          (["login", "--json", "--issuer", "http://127.0.0.1:1", "--client-id", "a", "--browser", "/bin/true"], "try_again", 5),
        ] {
          let finished = try await run(user.command(arguments), folder: user.folder)
          #expect(finished.status == .exited(code) && finished.output.isEmpty, "\(finished)")
          let decoder = JSONDecoder()
          decoder.keyDecodingStrategy = .convertFromSnakeCase
          let report = try decoder.decode(Report.self, from: Data(finished.errorOutput.utf8))
          #expect(report.error == error && report.exitCode == code && !report.description.isEmpty, "\(finished)")
          #expect(report.advice != nil || error == "usage", "\(finished)")
        }
        let prose = try await user.sallyport("token")
        #expect(prose.errorOutput == "You are not signed in. Run `sallyport login`.\n")
      }
    }

    @Test("if standard output cannot be written, the exit code is 1, and only a closed pipe causes no message")
    func outputNotWritten() async throws {
      try await withUser { user in
        // Of the three descriptors of the pipe, only the one for writing stays open.
        let closedPipe = "trap '' PIPE; mkfifo pipe; exec 3<>pipe 4>pipe 3<&-; exec \"$@\" >&4"
        for program in ["sallyport accounts --json", "sallyport --version", "sallyportd client list --json --data data"] {
          var words = program.split(separator: " ").map(String.init)
          words[0] = BuildFolder.command(words[0])
          for (script, message) in [("exec \"$@\" > /dev/full", "No space left on device"), (closedPipe, nil)] {
            let shell = ChildCommand(
              "/bin/sh", ["-c", "cd \"$HOME\"; rm -f pipe; \(script)", "sh"] + words, environment: user.environment)
            let finished = try await run(shell, folder: user.folder)
            #expect(finished.status == .exited(1), "\(program) \(finished)")
            if let message {
              #expect(finished.errorOutput.contains(message), "\(program) \(finished)")
            } else {
              #expect(finished.errorOutput.isEmpty, "\(program) \(finished)")
            }
          }
        }
      }
    }

    @Test("if no authorization response arrives in time, login names the redirect URI that must be registered for the client")
    func noResponse() async throws {
      try await withProvider { provider in
        try await withUser { user in
          // `/bin/true` stands for a browser that shows the server's error page, so no redirect arrives.
          let target = ["--issuer", provider.issuer, "--client-id", "wrong", "--scope", "repo", "--timeout", "1"]
          let uri = "http://127.0.0.1:\(try freePort())/callback"
          let login = try await user.sallyport(["login", "--browser", "/bin/true", "--redirect-uri", uri] + target)
          #expect(
            login.status == .exited(4) && login.errorOutput.contains("registered for it at the server: \(uri)."), "\(login)")
          #expect(login.errorOutput.contains("\"wrong\""), "\(login)")
        }
      }
    }

    @Test("for an issuer with an extra slash or without a scheme, the error shows the correct spelling")
    func issuer() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          let slash = try await user.sallyport(
            "login", "--issuer", "\(server.issuer)/", "--client-id", "notes", "--browser", "/bin/true")
          #expect(slash.status == .exited(1) && slash.errorOutput.contains("use `--issuer \(server.issuer)`"), "\(slash)")
          #expect(!slash.errorOutput.contains("invalid"), "\(slash)")
          let scheme = try await user.sallyport("login", "--issuer", "accounts.google.com", "--client-id", "notes")
          #expect(scheme.status == .exited(2) && scheme.errorOutput.contains("https://accounts.google.com"), "\(scheme)")
        }
      }
    }
  }
}
