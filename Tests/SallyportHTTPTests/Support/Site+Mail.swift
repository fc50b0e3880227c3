import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

/// Runs `body` on a server that sends mail, where the email address of `ada` is verified.
/// - Parameter signUp: Who can sign up; nil for the server's default.
func withMail(signUp: SignUpPolicy? = nil, _ body: @Sendable (Site) async throws -> Void) async throws {
  try await withSite(configure: {
    $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) }
    if let signUp { $0.signUp = signUp }
  }) { site in
    _ = try await site.fixture.server.accounts.edit("ada", isEmailVerified: true)
    try await body(site)
  }
}

extension Site {
  /// Delivers the mail that the server has not sent yet.
  func deliverMail() async throws -> [TestMail] {
    let mailbox = TestMailbox()
    _ = try await self.fixture.server.mailDeliveries?.sendDue(by: mailbox)
    return mailbox.messages
  }
}

/// Returns the token in the address of a one-time link.
func oneTimeToken(in link: String) throws -> String {
  String(try #require(link.split(separator: "=").last))
}

extension TestBrowser {
  /// Opens a one-time link and submits the form on its page.
  func use(_ link: String) async throws -> Reply {
    try await self.submit(try await self.open(link), [("token", try oneTimeToken(in: link))])
  }
}
