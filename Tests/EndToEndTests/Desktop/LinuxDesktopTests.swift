import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct LinuxDesktopTests {
    /// The program that opens the sign-in page.
    enum Opener: CaseIterable {
      case xdgOpen, browserVariable, wsl
    }

    @Test(
      "C-05, P-05: the sign-in page is opened by the program that BROWSER names, by wslview in WSL, or by xdg-open",
      arguments: Opener.allCases)
    func defaultBrowser(_ opener: Opener) async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          var user = user
          // The file gets its final name only after the URL was written, so that the test never reads an incomplete
          // URL.
          let write =
            "printf '%s' \"$1\" > '\(user.folder)/opened.part' && mv '\(user.folder)/opened.part' '\(user.folder)/opened'"
          switch opener {
          case .xdgOpen:
            try user.addProgram("xdg-open", write)
            user.environment["DISPLAY"] = ":0"
          case .wsl:
            // In WSL, xdg-open fails if no browser for Linux is installed.
            try user.addProgram("xdg-open", "exit 1")
            try user.addProgram("wslview", write)
            user.environment["WSL_DISTRO_NAME"] = "Debian"
          case .browserVariable:
            try user.addProgram("xdg-open", "exit 1")
            try user.addProgram("my-browser", write)
            user.environment["BROWSER"] = "my-browser"
          }
          let login = try await user.beginLogin(
            ["--issuer", server.issuer, "--client-id", TestClient.notes.id], opening: "\(user.folder)/opened")
          defer { login.process.end() }
          try await signInWithoutBrowser(login, at: server)
        }
      }
    }

    @Test("C-22, P-05: tokens are stored in the Secret Service; while the service is unavailable, sallyport fails")
    func secretService() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          var user = user
          user.environment["SALLYPORT_STORE"] = nil
          let service = try await SecretService.start(for: user)
          defer { service.end() }
          user.environment["DBUS_SESSION_BUS_ADDRESS"] = service.address
          let login = try await user.beginLogin(server, .notes)
          defer { login.process.end() }
          try await signInWithoutBrowser(login, at: server)
          #expect(try await user.sallyport("token").status == .exited(0))

          user.environment["DBUS_SESSION_BUS_ADDRESS"] = ""
          let withoutService = try await user.sallyport("token")
          #expect(withoutService.status != .exited(0) && withoutService.output.isEmpty, "a silent fallback: \(withoutService)")

          user.environment["DBUS_SESSION_BUS_ADDRESS"] = service.address
          #expect(try await user.sallyport("logout").status == .exited(0))
          #expect(try await user.sallyport("token").status == .exited(3))
        }
      }
    }
  }
}
