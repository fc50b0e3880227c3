import BrowserDriver
import Foundation
import SallyportAsyncHTTPClient
import Testing

extension EndToEndTests {
  /// Tests one-time links in Chromium, and mail through msmtp to an SMTP server.
  @Suite struct MailTests {
    private static let password = "another horse without a battery"

    /// Chooses a password on the page of a one-time link.
    private func submitPassword(_ browser: Browser, _ link: String, as name: String) async throws {
      try await browser.open(link)
      #expect(try await browser.text.contains(name))
      try await browser.click("button[value=continue]")
      try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
      #expect(try await !browser.currentURL.contains("token"))
      for field in ["new-password", "new-password-repeat"] { try await browser.type(Self.password, into: "input[name=\(field)]") }
      try await browser.pressEnter(in: "input[name=new-password-repeat]")
    }

    /// Chooses a password on the page of a one-time link, and signs in with it.
    private func choosePassword(_ browser: Browser, _ link: String, as name: String) async throws {
      try await self.submitPassword(browser, link, as: name)
      try await browser.wait(for: "the confirmation") { try await $0.text.contains("Your password is set") }
      try await browser.click("a.alone")
      try await browser.signIn(name, Self.password)
      try await browser.wait(for: "the account page") { try await $0.text.contains("Your account") }
      #expect(try await browser.text.contains("You are signed in as \(name)"))
    }

    @Test("an invited user opens the link that 'user invite' printed, chooses a password, and signs in; the link works once")
    func invitation() async throws {
      try await withServer(clients: []) { home in
        let link = try await home.runCommand(["user", "invite", "carol", "--name", "Carol"]).line
        #expect(link.hasPrefix("\(home.issuer)/account/link?token=slp_al_"))
        try await withTestBrowser("invitation") { browser in
          try await self.choosePassword(browser, link, as: "carol")
          try await browser.open(link)
          #expect(try await browser.text.contains("This link is not valid"))
        }
      }
    }

    @Test("a user who has forgotten the password gets a link through msmtp and SMTP, and chooses a new password")
    func forgottenPassword() async throws {
      try await Self.withSMTP { folder, config in
        try await withServer(clients: [], arguments: ["--config", config]) { home in
          try await home.runCommand(["user", "edit", "ada", "--email", "ada@example.com", "--email-verified"])
          try await withTestBrowser("forgotten-password") { browser in
            try await browser.open(home.issuer + "/account")
            try await browser.click("a[href$=forgot-password]")
            try await browser.type("ada@example.com", into: "input[name=username]")
            try await browser.pressEnter(in: "input[name=username]")
            try await browser.wait(for: "the response") { try await $0.text.contains("Check your email") }
            let message = try await eventually("the message") {
              try? String(contentsOfFile: "\(folder)/message-1", encoding: .utf8)
            }
            #expect(message.hasPrefix("RCPT <ada@example.com>\n") && message.contains("\nAuto-Submitted: auto-generated\n"))
            let link = try #require(Self.link(in: message))
            try await self.choosePassword(browser, link, as: "ada")
          }
          let notification = try await eventually("the notification") {
            try? String(contentsOfFile: "\(folder)/message-2", encoding: .utf8)
          }
          #expect(Self.texts(of: notification).first?.contains("Your password was changed") == true)
        }
      }
    }

    @Test(
      "after a password reset through a mailed link, the browser returns to the app's sign-in page, with the user name filled in")
    func continuesToTheApp() async throws {
      try await Self.withSMTP { folder, config in
        try await withServer(clients: [.notes], arguments: ["--config", config]) { home in
          try await home.runCommand(["user", "edit", "ada", "--email", "ada@example.com", "--email-verified"])
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(.notes, at: home, transport: transport)
            let pending = try app.begin()
            try await withTestBrowser("reset-continues") { browser in
              try await browser.open(pending.url)
              try await browser.click("a[href*=forgot-password]")
              try await browser.type("ada", into: "input[name=username]")
              try await browser.pressEnter(in: "input[name=username]")
              try await browser.wait(for: "the response") { try await $0.text.contains("Check your email") }
              let message = try await eventually("the message") {
                try? String(contentsOfFile: "\(folder)/message-1", encoding: .utf8)
              }
              try await self.submitPassword(browser, try #require(Self.link(in: message)), as: "ada")
              try await browser.wait(for: "the sign-in page of the app") { try await $0.text.contains("Notes") }
              #expect(try await browser.source.contains(#"value="ada""#))
              try await browser.type(Self.password, into: "input[name=password]")
              try await browser.pressEnter(in: "input[name=password]")
              try await browser.decide(.allow)
              let location = try await browser.waitForNavigation(to: pending.redirectURI)
              #expect(try await app.redeem(app.code(in: location, for: pending), for: pending).status == 200)
            }
          }
        }
      }
    }

    /// Runs `body` with an SMTP server that stores messages in a folder, and with a settings file that makes the server
    /// send mail through msmtp.
    /// - Parameter settings: More settings, in YAML.
    private static func withSMTP(
      settings: String = "", _ body: (_ folder: String, _ config: String) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let smtp = try ChildProcess(ChildCommand("/usr/bin/python3", [Peers.path(of: "smtp_server.py"), folder]), folder: folder)
        defer { smtp.end() }
        let port = try await eventually("the port of the SMTP server") {
          try? String(contentsOfFile: "\(folder)/port", encoding: .utf8)
        }
        let file = "\(folder)/msmtprc"
        try "account default\nhost 127.0.0.1\nport \(port)\nfrom accounts@example.com\n".write(
          toFile: file, atomically: true, encoding: .utf8)
        let config = "\(folder)/sallyportd.yaml"
        try """
        mail: { from: accounts@example.com, name: Example, command: "/usr/bin/msmtp --file='\(file)' -t -i" }
        \(settings)
        """.write(toFile: config, atomically: true, encoding: .utf8)
        try await body(folder, config)
      }
    }

    @Test(
      "a new user of an app gets a link through msmtp and SMTP, creates an account, signs in, and sees the app's consent page")
    func signUp() async throws {
      try await Self.withSMTP(settings: "accounts: { sign-up: open }") { folder, config in
        try await withServer(clients: [.notes], arguments: ["--config", config]) { home in
          try await AsyncHTTPClientTransport.withTransport { transport in
            let app = try await HTTPApp(.notes, at: home, transport: transport)
            let pending = try app.begin()
            try await withTestBrowser("sign-up") { browser in
              try await browser.open(pending.url)
              try await browser.click("a[href*=sign-up]")
              try await browser.type("carol@example.com", into: "input[name=email]")
              try await browser.pressEnter(in: "input[name=email]")
              try await browser.wait(for: "the response") { try await $0.text.contains("Check your email") }
              let message = try await eventually("the message") {
                try? String(contentsOfFile: "\(folder)/message-1", encoding: .utf8)
              }
              #expect(message.hasPrefix("RCPT <carol@example.com>\n"))
              try await browser.open(try #require(Self.link(in: message)))
              #expect(try await browser.text.contains("carol@example.com"))
              try await browser.click("button[value=continue]")
              try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
              #expect(try await !browser.currentURL.contains("token"))
              try await browser.type("carol", into: "input[name=username]")
              for field in ["new-password", "new-password-repeat"] {
                try await browser.type(Self.password, into: "input[name=\(field)]")
              }
              try await browser.pressEnter(in: "input[name=new-password-repeat]")
              try await browser.wait(for: "the sign-in page") { try await !$0.findAll("input[name=password]").isEmpty }
              try await browser.signIn("carol", Self.password)
              try await browser.wait(for: "the consent page") { try await !$0.findAll("button[value=allow]").isEmpty }
              #expect(try await browser.text.contains("carol"))
            }
          }
          let list = try await home.runCommand(["user", "list", "--json"]).output
          #expect(list.contains("carol@example.com") && list.contains("\"email_verified\" : true"))
        }
      }
    }

    @Test("a user who was invited by mail chooses the user name and the password")
    func invitationWithoutName() async throws {
      try await Self.withSMTP(settings: "accounts: { sign-up: invite }") { folder, config in
        try await withServer(clients: [], arguments: ["--config", config]) { home in
          try await home.runCommand(["user", "invite", "--email", "dora@example.com", "--send", "--config", config])
          let message = try await eventually("the message") {
            try? String(contentsOfFile: "\(folder)/message-1", encoding: .utf8)
          }
          try await withTestBrowser("invitation-without-name") { browser in
            try await browser.open(try #require(Self.link(in: message)))
            try await browser.click("button[value=continue]")
            try await browser.wait(for: "the form") { try await !$0.findAll("input[name=new-password]").isEmpty }
            try await browser.type("dora", into: "input[name=username]")
            for field in ["new-password", "new-password-repeat"] {
              try await browser.type(Self.password, into: "input[name=\(field)]")
            }
            try await browser.pressEnter(in: "input[name=new-password-repeat]")
            try await browser.wait(for: "the confirmation") { try await $0.text.contains("Your account is ready") }
          }
        }
      }
    }

    /// Returns the decoded text parts of a message. A part is in Base64, between an empty line and the next boundary
    /// (`--…`). Other blocks of the message, such as headers, are dropped, because they decode to bytes without an
    /// empty line.
    private static func texts(of message: String) -> [String] {
      message.components(separatedBy: "\n\n").compactMap { block in
        let encoded = block.components(separatedBy: "\n--").first ?? ""
        return Data(base64Encoded: encoded, options: .ignoreUnknownCharacters).map { String(decoding: $0, as: UTF8.self) }
      }.filter { $0.contains("\n\n") }
    }

    /// Returns the one-time link in a message.
    private static func link(in message: String) -> String? {
      self.texts(of: message).first?.components(separatedBy: "\n").first { $0.contains("?token=") }
    }
  }
}
