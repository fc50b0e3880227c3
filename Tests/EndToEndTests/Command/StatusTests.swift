import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  /// An exit status of 1 means an error, 2 wrong or ambiguous arguments, and 3 that the user must sign in first.
  @Suite struct StatusTests {
    @Test(
      "status shows the store, the account, and the expiration of its token, and exits with 3 if no user is signed in")
    func status() async throws {
      try await withUser { user in
        let before = try await user.sallyport("status")
        let folder = "\(user.folder)/.local/share/sallyport-cli"
        let store = "Tokens are stored in encrypted files in \(folder), because SALLYPORT_STORE is set.\n"
        #expect(before.status == .exited(3) && before.output == store, "\(before)")
        try await withProvider { provider in
          try await SignInParameterTests.signIn(user, provider, ["--profile", "work"])
        }
        let after = try await user.sallyport("status")
        #expect(after.status == .exited(0), "\(after)")
        #expect(after.output.contains("the account work, http://127.0.0.1:"), "\(after)")
        #expect(after.output.contains(/The access token expires in (59|60) minutes. It is renewed automatically./), "\(after)")
        let json = try await user.sallyport("status", "--json")
        #expect(json.output.contains("\"store\":\"file\"") && json.output.contains("\"signed_in\":true"), "\(json)")
        let other = try await user.sallyport("status", "--profile", "home")
        #expect(other.status == .exited(3) && other.errorOutput.contains("no account named \"home\""), "\(other)")
      }
    }

    @Test("switch chooses the default account until the next sign-in, and logout --all ends every session")
    func switching() async throws {
      try await withProvider { provider in
        try await withUser { user in
          #expect(try await user.sallyport("switch").status == .exited(3))
          try await SignInParameterTests.signIn(user, provider, ["--profile", "work"])
          try await SignInParameterTests.signIn(user, provider, ["--profile", "home"])
          #expect(try await Self.current(user) == "home")
          // With two accounts, `switch` without a name chooses the other account.
          #expect(try await user.sallyport("switch").output.contains("work"))
          #expect(try await Self.current(user) == "work")
          #expect(try await user.sallyport("accounts").output.contains("* work\t"))
          #expect(try await user.sallyport("switch", "home").status == .exited(0))
          #expect(try await Self.current(user) == "home")
          let unknown = try await user.sallyport("switch", "other")
          #expect(unknown.status == .exited(1) && unknown.errorOutput.contains("no account named \"other\""), "\(unknown)")
          #expect(unknown.errorOutput.contains("\n  work, \(provider.issuer) (client notes)\n"), "\(unknown)")
          #expect(try await user.sallyport("switch", "work", "--profile", "home").status == .exited(2))

          try await SignInParameterTests.signIn(user, provider, ["--profile", "third"])
          #expect(try await Self.current(user) == "third")
          #expect(try await user.sallyport("switch").status == .exited(2))
          let ambiguous = try await user.sallyport("switch", "--issuer", provider.issuer)
          #expect(ambiguous.status == .exited(2), "\(ambiguous)")
          for name in ["work", "home", "third"] {
            #expect(ambiguous.errorOutput.contains("\n  sallyport switch --profile \(name)\n"))
          }
          try await SignInParameterTests.signIn(user, provider, [])
          #expect(try await user.sallyport("switch", "work").status == .exited(0))
          // `-` stands for the account without a name.
          #expect(try await user.sallyport("switch", "-").status == .exited(0))
          #expect(try await Self.current(user) == nil)
          let mistyped = try await user.sallyport("logout", "--profile", "wrok")
          #expect(mistyped.status == .exited(1) && mistyped.errorOutput.contains("\"wrok\""), "\(mistyped)")
          let several = try await user.sallyport("logout", "--issuer", provider.issuer)
          #expect(several.status == .exited(2), "\(several)")
          #expect(several.errorOutput.contains("\n  sallyport logout --profile work\n"), "\(several)")
          let one = try await user.sallyport("logout")
          #expect(one.output == "Signed out of \(provider.issuer) (client notes).\n", "\(one)")

          #expect(try await user.sallyport("logout", "--all", "--profile", "work").status == .exited(2))
          let logout = try await user.sallyport("logout", "--all", "--json")
          #expect(logout.status == .exited(0), "\(logout)")
          // The text occurs once for each of the accounts work, home, and third, and so separates four components.
          #expect(logout.output.components(separatedBy: "\"signed_out\":true").count == 4, "\(logout)")
          #expect(try await user.sallyport("accounts", "--json").line == "[]")
          #expect(try await user.sallyport("logout", "--all").errorOutput == "You were not signed in.\n")
        }
      }
    }

    /// Returns the name of the default account, or nil if this account has no name.
    private static func current(_ user: UserHome) async throws -> String? {
      struct Token: Decodable { var profile: String? }
      let token = try await user.sallyport("token", "--json")
      return try JSONDecoder().decode(Token.self, from: Data(token.output.utf8)).profile
    }
  }
}
