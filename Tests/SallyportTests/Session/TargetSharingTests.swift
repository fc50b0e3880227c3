import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

/// Tests that tasks and processes share refreshes for several APIs. A session that another client object restores
/// simulates a session of another process. All access tokens are valid for 600 seconds.
@Suite("Shared refreshes for several APIs", .timeLimit(.minutes(1)))
struct TargetSharingTests {
  private let fixture: SignInFixture
  private let server = TargetServer()
  private let billing: TokenTarget

  init() throws {
    self.fixture = try SignInFixture()
    self.billing = try .api("https://billing.example/")
  }

  private func session() async throws -> OAuthSession {
    let session = try await self.fixture.signIn()
    self.server.serve(on: self.fixture.transport)
    return session
  }

  @Test("C-30: many tasks that need tokens for several APIs cause one refresh for each API, one after another")
  func concurrent() async throws {
    let session = try await self.session()
    self.fixture.clock.advance(by: .seconds(700))
    let targets = try [.api("https://one.example/a"), .api("https://two.example/b"), self.billing, TokenTarget()]
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<40 {
        group.addTask { try await session.accessToken(for: targets[number % 4]).value.reveal() }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens.count == 4)
    #expect(self.fixture.refreshRequests.count == 4)
    #expect(Set(self.fixture.refreshRequests.compactMap { $0.form?["refresh_token"] }).count == 4)
    for target in targets { #expect(try await tokens.contains(session.accessToken(for: target).value.reveal())) }
  }

  @Test("C-30: many processes that need tokens for several APIs cause one refresh for each API")
  func manyProcesses() async throws {
    _ = try await self.session()
    let fixture = self.fixture
    let targets = try [.api("https://one.example/a"), .api("https://two.example/b"), self.billing]
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<12 {
        group.addTask {
          let session = try #require(try await fixture.client().restoreSession())
          return try await session.accessToken(for: targets[number % 3]).value.reveal()
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens.count == 3)
    #expect(self.fixture.refreshRequests.count == 3)
  }

  @Test("C-30: refresh() sends a request even if another process has just refreshed for another API")
  func demand() async throws {
    let session = try await self.session()
    let other = try #require(try await self.fixture.client().restoreSession())
    _ = try await other.accessToken(for: self.billing)
    try await session.refresh()
    // Because the session has a token for another API, its own refresh sends the scope of the sign-in. `TargetServer`
    // names the token after the first value of the scope. The number is 3, because the refresh for the other API had
    // the number 2.
    #expect(try await session.accessToken().reveal() == "openid-3")
    #expect(try await session.accessToken(for: self.billing).value.reveal() == "billing.example-2")
  }

  @Test("a refresh for another API causes the event refreshedTarget, and in another process that uses the new token, adopted")
  func events() async throws {
    let session = try await self.session()
    let other = try #require(try await self.fixture.client().restoreSession())
    var iterator = await session.events.makeAsyncIterator()
    var otherIterator = await other.events.makeAsyncIterator()
    _ = try await session.accessToken(for: self.billing)
    #expect(await iterator.next() == .refreshedTarget(self.billing))
    _ = try await other.accessToken(for: self.billing)
    #expect(await otherIterator.next() == .adopted)
  }
}
