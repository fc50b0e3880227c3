import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct DeviceTests {
    @Test(
      "P-06, S-14: sallyport signs in without a browser, with a code that the user enters on another device, and the user must consent each time"
    )
    func device() async throws {
      try await withServer(clients: []) { server in
        try await server.addDevice("tv")
        try await withUser { user in
          for round in 1...2 {
            let login = try Self.begin(user, server)
            defer { login.end() }
            let code = try await Self.code(login)
            try await withTestBrowser("device-\(round)") { browser in
              try await Self.enter(code, browser, server)
              try await browser.signIn(server.account)
              try await browser.decide(.allow)
              try await Self.waitForPage("Your device is connected", browser)
            }
            let finished = try await login.finish()
            #expect(finished.status == .exited(0), "\(finished)")
          }
          let token = try await user.sallyport("token")
          #expect(token.status == .exited(0) && token.line.split(separator: ".").count == 3, "\(token)")
          // The server accepts the token.
          let whoami = try await user.sallyport("whoami")
          #expect(whoami.status == .exited(0) && whoami.output.contains("ada") && whoami.errorOutput.isEmpty, "\(whoami)")
        }
      }
    }

    @Test("P-06: if the user denies the request of a device, sallyport exits with 4 and stores no token")
    func denied() async throws {
      try await withServer(clients: []) { server in
        try await server.addDevice("tv")
        try await withUser { user in
          let login = try Self.begin(user, server)
          defer { login.end() }
          let code = try await Self.code(login)
          try await withTestBrowser("device-denied") { browser in
            // A wrong code is reported only after the sign-in.
            try await Self.enter("XXXX-XXXX", browser, server)
            try await browser.signIn(server.account)
            try await browser.wait(for: "the error") { try await !$0.findAll("#failure").isEmpty }
            try await Self.enter(code, browser, server)
            try await browser.decide(.deny)
            try await Self.waitForPage("was not connected", browser)
          }
          let finished = try await login.finish()
          #expect(finished.status == .exited(4), "\(finished)")
          let token = try await user.sallyport("token")
          // No account is signed in.
          #expect(token.status == .exited(3))
        }
      }
    }

    private static func begin(_ user: UserHome, _ server: ServerHome) throws -> ChildProcess {
      try ChildProcess(
        user.command(["login", "--issuer", server.issuer, "--client-id", "tv", "--device"]), folder: user.folder)
    }

    /// Waits for the code that the command shows.
    private static func code(_ login: ChildProcess) async throws -> String {
      try await eventually("a code for another device") {
        login.errorOutput.firstMatch(of: /[A-Z]{4}-[A-Z]{4}/).map { String($0.output) }
      }
    }

    /// Waits for a page that contains this text. Reading the text can fail while the page changes, so errors are
    /// ignored.
    private static func waitForPage(_ text: String, _ browser: Browser) async throws {
      try await browser.wait(for: "the page: \(text)") { (try? await $0.text)?.contains(text) ?? false }
    }

    private static func enter(_ code: String, _ browser: Browser, _ server: ServerHome) async throws {
      try await browser.open("\(server.issuer)/device")
      try await browser.type(code, into: "input[name=user_code]")
      try await browser.pressEnter(in: "input[name=user_code]")
    }
  }
}

extension ServerHome {
  /// Adds an app on a device without a browser (RFC 8628).
  fileprivate func addDevice(_ id: String) async throws {
    let arguments = ["--client-id", id, "--name", "Television", "--type", "native", "--device", "--scope", TestClient.scope]
    try await self.runCommand(["client", "add"] + arguments)
  }
}
