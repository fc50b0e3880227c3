import BrowserDriver
import Foundation
import Testing

extension EndToEndTests {
  @Suite(.enabled(if: Peers.areThere, Comment(rawValue: Peers.hint)))
  struct AuthlibTests {
    private struct Report: Decodable {
      var subject: String
      var userinfoSubject: String
      var rotated: Bool
      var renewed: Bool
      var revocationStatus: Int
    }

    @Test(
      "C-24, S-06, S-21, S-23: authlib signs in over loopback, verifies the ID token by the JWKS, refreshes, reads userinfo and revokes"
    )
    func client() async throws {
      let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      let script = tests.appending(path: "Peers/authlib_client.py").path
      try await withServer(clients: [.notes]) { server in
        try await withTemporaryFolder { folder in
          let app = try ChildProcess(
            ChildCommand(Peers.python, [script, server.issuer, TestClient.notes.id, "/oauth2redirect/localhost"]), folder: folder)
          defer { app.end() }
          let url = try await eventually("authlib's authorization URL") {
            if let status = app.exitStatus { throw Unexpected("it ended with \(status):\n\(app.errorOutput)") }
            return app.output.split(separator: "\n").first.map(String.init)
          }
          try await withPerson("authlib") { browser in
            try await browser.open(url)
            try await browser.signIn(server.person)
            try await browser.decide(.allow)
          }
          let finished = try await app.finish()
          #expect(finished.status == .exited(0), "\(finished)")
          let line = try #require(finished.output.split(separator: "\n").last)
          let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
          #expect(report.subject == report.userinfoSubject)
          #expect(report.rotated && report.renewed && report.revocationStatus == 200, "\(report)")
        }
      }
    }
  }
}
