import QuirkServer
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

/// One sign-in at Microsoft Entra, with tokens for Microsoft Graph and for another API.
@Suite("Several APIs at Microsoft Entra", .timeLimit(.minutes(2)))
struct SeveralAPIsTests {
  private let app: App
  private let billing = TokenTarget(scope: "api://billing.contoso.example/Invoices.Read")

  init() throws {
    self.app = try App(try #require(Scenario.all.first { $0.provider.name == QuirkyProvider.microsoftTenant.name }))
  }

  @Test("each API gets its own token, and a request for one API's token affects neither the other token nor the next refresh")
  func tokens() async throws {
    let session = try await self.app.signIn()
    for _ in 0..<3 {
      let token = try await session.accessToken(for: self.billing)
      #expect(self.app.server.api(of: token.value.reveal()) == "api://billing.contoso.example")
      #expect(token.scope == self.billing.scope)
      #expect(try await self.app.callAPI(session) == 200)
      try await session.refresh()
      #expect(try await self.app.callAPI(session) == 200)
      self.app.clock.advance(by: .seconds(7200))
    }
    #expect(await session.isRenewable)
    #expect(await session.scope.contains("User.Read"))
  }

  @Test("if the user has not consented to an API, a request for its token requires a sign-in, and the session is kept")
  func consent() async throws {
    let session = try await self.app.signIn()
    let ledger = TokenTarget(scope: try #require(Scope("\(QuirkyProvider.unconsentedAPI)/Read")))
    await #expect {
      _ = try await session.accessToken(for: ledger)
    } throws: {
      if case SessionError.signInRequired(.interactionRequired) = $0 { true } else { false }
    }
    try await session.refresh()
    #expect(try await self.app.callAPI(session) == 200)
  }

  @Test("scopes of several APIs in one request are rejected, and the session is kept")
  func mixed() async throws {
    let session = try await self.app.signIn()
    let mixedTarget = TokenTarget(scope: [self.billing.scope, "https://graph.microsoft.com/Mail.Read"])
    await #expect {
      _ = try await session.accessToken(for: mixedTarget)
    } throws: {
      if case SessionError.refused = $0 { true } else { false }
    }
    #expect(try await self.app.callAPI(session) == 200)
  }
}
