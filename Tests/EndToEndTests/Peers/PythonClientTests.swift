import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
  struct PythonClientTests {
    /// What the client prints at the end.
    private struct Report: Decodable {
      var subject: String
      var userinfoSubject: String
      /// Whether the refresh returned a new refresh token.
      var rotated: Bool
      /// Whether the refresh returned a new access token.
      var renewed: Bool
      var revocationStatus: Int
      /// Whether the refresh token is rejected after its revocation.
      var ended: Bool
      /// The URL that signs the user out.
      var endSession: String
    }

    @Test(
      "S-06, S-23: authlib and requests-oauthlib sign in over loopback, refresh, revoke, and sign the user out",
      arguments: ["authlib", "requests_oauthlib"])
    func client(_ library: String) async throws {
      try await withServer(clients: [.notes]) { server in
        try await withTemporaryFolder { folder in
          let app = try ChildProcess(
            Peers.script("\(library)_client.py", [server.issuer, TestClient.notes.id, "/oauth2redirect/localhost"]),
            folder: folder)
          defer { app.end() }
          let url = try await eventually("the authorization URL") {
            if let status = app.exitStatus { throw UnexpectedResult("the client ended with \(status):\n\(app.errorOutput)") }
            // The first line, if it is complete: what follows the last line break is dropped.
            return app.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first.map(String.init)
          }
          try await withTestBrowser(library) { browser in
            try await browser.open(url)
            try await browser.signIn(server.account)
            try await browser.decide(.allow)
            let finished = try await app.finish()
            guard finished.status == .exited(0), let line = finished.output.split(separator: "\n").last else {
              throw UnexpectedResult("\(finished)")
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
            #expect(report.subject == report.userinfoSubject)
            #expect(report.rotated && report.renewed && report.revocationStatus == 200 && report.ended, "\(report)")
            try await browser.open(report.endSession)
            try await browser.wait(for: "the server's sign-out page") { try await $0.text.contains("asked to sign you out") }
            try await browser.click("button[type=submit]")
            try await browser.wait(for: "the end of the session") { try await $0.text.contains("You are signed out") }
          }
        }
      }
    }
  }
}
