import Foundation
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@testable import Sallyport

@Suite("Session import", .timeLimit(.minutes(1)))
struct SessionImportTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("the tokens, scope, client, issuer, and token endpoint of a session that AppAuth archived are read")
  func appAuth() throws {
    let imported = try ImportedSession(appAuthArchive: AppAuthArchive.data)
    #expect(imported.refreshToken.reveal() == "refresh-0")
    #expect(imported.scope == ["openid", "offline_access", "notes:read"])
    #expect(imported.clientID == "notes" && imported.issuer == "https://id.example")
    #expect(imported.tokenEndpoint == "https://id.example/token")
    #expect(imported.idToken?.reveal().split(separator: ".").count == 3)
    #expect(!"\(imported)".contains("refresh-0"))
  }

  @Test("an imported session is refreshed once, stored, and then used like any other session")
  func imported() async throws {
    let idToken = try self.idToken("user-1")
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1", idToken: idToken))
    let session = try await self.fixture.client().importSession(ImportedSession(appAuthArchive: AppAuthArchive.data))
    #expect(self.fixture.refreshRequests.map { $0.form?["refresh_token"] } == ["refresh-0"])
    #expect(await session.claims?.subject == "user-1")
    let restored = try #require(try await self.fixture.client().restoreSession())
    #expect(try await restored.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(700))
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: nil))
    #expect(try await restored.accessToken().reveal() == "access-2")
    #expect(self.fixture.refreshRequests.last?.form?["refresh_token"] == "refresh-1")
  }

  @Test("a refresh token can be imported with only its scope, and is kept if the server does not rotate it")
  func bareToken() async throws {
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: nil))
    let imported = ImportedSession(refreshToken: Secret("refresh-0"), scope: [.openID])
    let session = try await self.fixture.client().importSession(imported)
    #expect(await session.isRenewable)
    try await session.refresh()
    #expect(self.fixture.refreshRequests.map { $0.form?["refresh_token"] } == ["refresh-0", "refresh-0"])
  }

  @Test(
    "if the server's keys cannot be fetched, the session is imported without claims, so that the new refresh token is not lost",
    arguments: [true, false])
  func keysUnavailable(hasIDToken: Bool) async throws {
    self.fixture.transport.on(self.fixture.server.jwksURL, fail: .unreachable(reason: "offline"))
    let idToken = try self.idToken("user-1")
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1", idToken: idToken))
    var imported = try ImportedSession(appAuthArchive: AppAuthArchive.data)
    if !hasIDToken { imported.idToken = nil }
    let session = try await self.fixture.client().importSession(imported)
    #expect(await session.claims == nil)
    #expect(await session.idToken == nil)
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: nil))
    try await self.fixture.client().restoreSession()?.refresh()
    #expect(self.fixture.refreshRequests.map { $0.form?["refresh_token"] } == ["refresh-0", "refresh-1"])
  }

  @Test("if the times of the ID token are wrong, the session is imported without claims, but with the new refresh token")
  func wrongTimes() async throws {
    let idToken = try self.idToken("user-1")
    self.fixture.clock.advance(by: .seconds(7200))
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1", idToken: idToken))
    let session = try await self.fixture.client().importSession(ImportedSession(appAuthArchive: AppAuthArchive.data))
    #expect(await session.claims == nil)
    #expect(await session.idToken == nil)
    try await self.fixture.client().restoreSession()?.refresh()
    #expect(self.fixture.refreshRequests.map { $0.form?["refresh_token"] } == ["refresh-0", "refresh-1"])
  }

  @Test("RFC 9449 §5.1: a client that requires DPoP imports no session from a server that does not offer it")
  func dpopNotOffered() async throws {
    let server = try DPoPServer { $0.metadata.dpopSigningAlgValuesSupported = nil }
    let client = try server.client(.required)
    let imported = ImportedSession(refreshToken: Secret("refresh-0"), scope: [.openID])
    await #expect(throws: SessionImportError.dpopNotOffered) { try await client.importSession(imported) }
    #expect(server.fixture.refreshRequests.isEmpty, "the refresh token must not be used")
  }

  @Test("C-33: a session of another user is not imported, even if the server's keys cannot be fetched")
  func otherUserWithoutKeys() async throws {
    self.fixture.transport.on(self.fixture.server.jwksURL, fail: .unreachable(reason: "offline"))
    let idToken = try self.idToken("user-2")
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1", idToken: idToken))
    #expect(try await self.error(ImportedSession(appAuthArchive: AppAuthArchive.data)) == .subjectMismatch)
  }

  @Test("the server's keys are fetched before the refresh token is used")
  func keysFirst() async throws {
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: nil))
    let imported = ImportedSession(refreshToken: Secret("refresh-0"), scope: [.openID])
    _ = try await self.fixture.client().importSession(imported)
    let urls = self.fixture.transport.requests.map(\.url)
    #expect(urls.suffix(2) == [self.fixture.server.jwksURL, SignInFixture.tokenURL])
  }

  @Test(
    "C-33: a session of another client, server, or user is not imported, and its refresh token is not sent to another server")
  func mismatches() async throws {
    var imported = try ImportedSession(appAuthArchive: AppAuthArchive.data)
    imported.clientID = "mail"
    #expect(try await self.error(imported) == .clientMismatch)
    imported = try ImportedSession(appAuthArchive: AppAuthArchive.data)
    imported.issuer = "https://evil.example"
    #expect(try await self.error(imported) == .issuerMismatch)
    imported.issuer = nil
    imported.tokenEndpoint = "https://evil.example/token"
    #expect(try await self.error(imported) == .issuerMismatch)
    #expect(self.fixture.tokenRequests.isEmpty)
    #expect(self.fixture.transport.requests(to: "https://evil.example/token").isEmpty)

    let idToken = try self.idToken("user-2")
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1", idToken: idToken))
    #expect(try await self.error(ImportedSession(appAuthArchive: AppAuthArchive.data)) == .subjectMismatch)
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("a refresh token that the server rejects leaves the stored session unchanged")
  func rejected() async throws {
    _ = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let imported = ImportedSession(refreshToken: Secret("refresh-0"), scope: [.openID])
    let expected = OAuthErrorResponse(error: "invalid_grant", description: nil)
    #expect(try await self.error(imported) == .session(.refused(expected)))
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-1")
  }

  @Test("an incomplete archive causes an error, and a changed byte causes no crash")
  func damaged() {
    let archive = AppAuthArchive.data
    for data in [Data(), Data("bplist00".utf8), Data(archive.dropLast()), Data(archive.prefix(400) + archive.suffix(32))] {
      #expect(throws: SessionImportError.self) { try ImportedSession(appAuthArchive: data) }
    }
    // Any result is correct, as long as the process does not crash.
    for index in archive.indices {
      for value in [0x00, 0x7F, 0xFF] as [UInt8] {
        var data = archive
        data[index] = value
        _ = try? ImportedSession(appAuthArchive: data)
      }
    }
  }

  @Test("a dictionary with a key reference that is too large is rejected")
  func referenceTooLarge() throws {
    // Object 0 is a dictionary with two entries (0xD2), which refers to its keys (objects 1 and 2) and values (objects
    // 3 and 4) with 8 bytes each. These four objects are strings of one character (0x51).
    var bytes = Array("bplist00".utf8) + [0xD2]
    for reference in [1, 2, 3, 4] as [UInt8] { bytes += [0, 0, 0, 0, 0, 0, 0, reference] }
    for text in ["a", "b", "c", "d"] { bytes += [0x51] + Array(text.utf8) }
    // The offsets of the objects, and the last 32 bytes, which `BinaryPropertyList.init` describes.
    let table = UInt8(bytes.count)
    bytes += [8, 41, 43, 45, 47]
    bytes += [0, 0, 0, 0, 0, 0, 1, 8] + [0, 0, 0, 0, 0, 0, 0, 5] + Array(repeating: 0, count: 15) + [table]
    #expect(BinaryPropertyList(bytes)?.object(0) == .dictionary(["a": 3, "b": 4]))
    // The most significant byte of the reference to the first key.
    bytes[9] = 0xFF
    let list = try #require(BinaryPropertyList(bytes))
    #expect(list.object(0) == nil)
  }

  /// Returns the error of an import, or `nil` if it succeeds.
  private func error(_ imported: ImportedSession) async throws -> SessionImportError? {
    let client = try self.fixture.client()
    do throws(SessionImportError) {
      _ = try await client.importSession(imported)
      return nil
    } catch {
      return error
    }
  }

  private func idToken(_ subject: String) throws -> Secret<String> {
    try self.fixture.server.token(
      self.fixture.server.claims(clientID: self.fixture.clientID, subject: subject, now: self.fixture.clock.now))
  }
}
