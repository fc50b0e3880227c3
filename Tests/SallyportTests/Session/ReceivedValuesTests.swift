import Foundation
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("ID token, claims, and additional members of token responses", .timeLimit(.minutes(1)))
struct ReceivedValuesTests {
  private let fixture: SignInFixture
  private let browser: FakeBrowser

  init() throws {
    self.fixture = try SignInFixture { $0.metadata.endSessionEndpoint = nil }
    self.browser = try self.fixture.browser()
  }

  /// Makes the token endpoint return tokens and these additional members.
  private func respond(_ members: [String: JSONValue]) {
    let fixture = self.fixture
    let browser = self.browser
    fixture.transport.on(SignInFixture.tokenURL) { _ in
      let query = browser.opened.last?.split(separator: "?", maxSplits: 1).last ?? ""
      var claims = fixture.server.claims(
        clientID: "notes", nonce: (try? FormParameters(parsing: query))?["nonce"], now: fixture.clock.now)
      claims["groups"] = ["editors"]
      var response: [String: JSONValue] = [
        "access_token": "access-1", "token_type": "Bearer", "expires_in": 600, "refresh_token": "refresh-1",
      ]
      response["id_token"] = (try? fixture.server.token(claims)).map { .string($0.reveal()) }
      return .success(.json(encoding: response.merging(members) { _, new in new }))
    }
  }

  @Test("a restored session returns the ID token, all claims, and the additional members")
  func values() async throws {
    self.respond(["instance_url": "https://eu1.example", "patient": 7])
    let client = try self.fixture.client()
    _ = try await client.signIn(scopes: [.openID], via: self.browser, receiver: self.browser)
    let session = try #require(try await client.restoreSession())
    let token = try #require(await session.idToken)
    #expect(token.reveal().split(separator: ".").count == 3)
    // Text with an interpolated secret does not contain the secret.
    #expect(!"\(token)".contains(token.reveal()))
    #expect(await session.allClaims["groups"] == ["editors"])
    #expect(await session.allClaims["sub"] == "ada")
    #expect(await session.additionalMembers.reveal() == ["instance_url": "https://eu1.example", "patient": 7])
    #expect(!"\(await session.additionalMembers)".contains("eu1"))
  }

  @Test("a refresh replaces the additional members that its response contains, and keeps all others")
  func refreshed() async throws {
    self.respond(["instance_url": "https://eu1.example", "patient": "7"])
    let session = try await self.fixture.client().signIn(scopes: [.openID], via: self.browser, receiver: self.browser)
    let first = await session.idToken
    self.fixture.clock.advance(by: .seconds(1))
    self.respond(["instance_url": "https://eu2.example"])
    try await session.refresh()
    #expect(await session.additionalMembers.reveal() == ["instance_url": "https://eu2.example", "patient": "7"])
    #expect(await session.idToken != first)
  }

  @Test("without openid, an ID token that the server sends anyway is not used, because it was not verified")
  func notRequested() async throws {
    self.respond([:])
    let session = try await self.fixture.client().signIn(scopes: ["read"], via: self.browser, receiver: self.browser)
    #expect(await session.idToken == nil)
    #expect(await session.allClaims.isEmpty)
  }
}
