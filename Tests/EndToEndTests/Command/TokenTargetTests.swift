import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite struct TokenTargetTests {
    @Test(
      "token --scope gets and stores a token with fewer scope values, and the session survives a --for-resource that the server rejects"
    )
    func target() async throws {
      try await withServer(clients: [.notes]) { server in
        try await withUser { user in
          try await ProfilesTests.signIn(user, server, ["--client-id", "notes"])
          let token = try await user.sallyport("token").line
          let narrow = try await user.sallyport("token", "--scope", "openid", "--json")
          // Because the sign-in requested offline_access, every later request for a scope contains it as well.
          #expect(narrow.status == .exited(0) && narrow.output.contains("\"scope\":\"openid offline_access\""), "\(narrow)")
          let storedToken = try await user.sallyport("token", "--scope", "openid").line
          #expect(narrow.output.contains(storedToken) && storedToken != token)
          #expect(try await user.sallyport("token").line == token)

          let refused = try await user.sallyport("token", "--for-resource", "https://unknown.example/")
          #expect(refused.status == .exited(1) && refused.errorOutput.contains("invalid_target"), "\(refused)")
          #expect(try await user.sallyport("token", "--refresh").status == .exited(0))
        }
      }
    }
  }
}
