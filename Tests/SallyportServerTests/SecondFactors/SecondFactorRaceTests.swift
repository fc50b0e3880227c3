import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Simultaneous uses of codes at two servers")
struct SecondFactorRaceTests {
  /// Returns the sealed state of a sign-in that waits for a code.
  private func challenge(_ server: AuthorizationServer) async throws -> Secret<String> {
    let account = try #require(try await server.accounts.account(named: Username("ada")))
    let step = try await server.secondFactorSignIn.nextStep(
      for: account, interaction: "i", prefersCode: false, mustChangePassword: false)
    guard case .code(let challenge) = step else { throw StoreError.conflict }
    return challenge.sealed
  }

  /// Adds an authenticator app and recovery codes, and returns a valid code of each.
  private func addFactors(_ fixture: TestServer) async throws -> (totp: String, recovery: String) {
    let server = fixture.server
    let account = try #require(try await server.accounts.account(named: Username("ada")))
    let cookie = try #require(try await server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server))
    let session = try #require(try await server.sessions.active(cookie.reveal()))
    let enrollment = try #require(server.twoStepVerification.enrollment(for: session))
    let app = try #require(TestAuthenticatorApp(key: enrollment.secret.reveal()))
    let addition = try await server.twoStepVerification.add(
      code: app.code(at: fixture.clock.now), enrollment: enrollment.sealed, session: session, from: .server)
    guard case .added(let codes?) = addition, let first = codes.first else { throw StoreError.conflict }
    // The code that confirmed the app cannot be used again, so this returns the code of the next 30 seconds.
    fixture.clock.advance(by: .seconds(30))
    return (app.code(at: fixture.clock.now), first.displayed.reveal())
  }

  /// Sends a code `count` times at the same time, and returns how many times the sign-in succeeded.
  private func successes(
    _ servers: [AuthorizationServer], _ code: String, _ state: Secret<String>, of count: Int
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<count {
        group.addTask {
          let outcome = try await servers[number % servers.count].secondFactorSignIn.run(
            code: Secret(code), sealed: state, interaction: "i",
            SignInBrowser(sessionCookie: nil, knownBrowserCookie: nil, userAgent: nil, isOnPublicDevice: false),
            from: .server)
          if case .success = outcome { return true }
          return false
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
  }

  @Test("a sign-in without a code starts no session if the account has begun to require codes in the meantime")
  func withoutCode() async throws {
    let fixture = try await TestServer()
    let server = fixture.server
    let account = try #require(try await server.accounts.account(named: Username("ada")))
    let step = try await server.secondFactorSignIn.nextStep(
      for: account, interaction: "i", prefersCode: false, mustChangePassword: false)
    guard case .none = step else { throw StoreError.conflict }
    _ = try await self.addFactors(fixture)
    // `[]` and `["mfa"]` stand for sign-ins through an upstream. Only the two lists with three methods include a code
    // or a passkey of this server.
    for methods in [["pwd"], [], ["mfa"], ["pwd", "otp", "mfa"], ["pop", "user", "mfa"]] {
      let confirm = server.secondFactorSignIn.confirmation(of: methods, for: account)
      let cookie = try await server.sessions.start(for: account, by: methods, replacing: nil, from: .server, confirm: confirm)
      #expect((cookie != nil) == (methods.count == 3), "\(methods)")
    }
  }

  @Test("a code stays usable if the store fails before the session starts", arguments: [true, false])
  func failure(isRecoveryCode: Bool) async throws {
    let fixture = try await TestServer()
    let codes = try await self.addFactors(fixture)
    let state = try await self.challenge(fixture.server)
    let store = FailingStore(fixture.store)
    let server = AuthorizationServer(
      configuration: fixture.server.configuration, store: store, masterKey: fixture.masterKey, hasher: TestPasswordHasher(),
      now: fixture.clock.source)
    for calls in 0..<10 {
      store.interrupt(after: calls)
      let outcome = try? await server.secondFactorSignIn.run(
        code: Secret(isRecoveryCode ? codes.recovery : codes.totp), sealed: state, interaction: "i",
        SignInBrowser(sessionCookie: nil, knownBrowserCookie: nil, userAgent: nil, isOnPublicDevice: false), from: .server)
      #expect((outcome == nil) == store.wasInterrupted)
      if case .success? = outcome { return }
    }
    Issue.record("no session started")
  }

  @Test("of 1,000 simultaneous uses of one recovery code, exactly one starts a session", arguments: TestDatabase.Kind.allCases)
  func recoveryCode(kind: TestDatabase.Kind) async throws {
    let fixture = try await TestServer(database: kind)
    let codes = try await self.addFactors(fixture)
    let servers = [fixture.server, try fixture.otherProcess()]
    let state = try await self.challenge(fixture.server)
    #expect(try await self.successes(servers, codes.recovery, state, of: 1_000) == 1)
  }

  @Test("of 100 simultaneous uses of one code of the app, exactly one starts a session", arguments: TestDatabase.Kind.allCases)
  func totp(kind: TestDatabase.Kind) async throws {
    let fixture = try await TestServer(database: kind)
    let codes = try await self.addFactors(fixture)
    let servers = [fixture.server, try fixture.otherProcess()]
    let state = try await self.challenge(fixture.server)
    #expect(try await self.successes(servers, codes.totp, state, of: 100) == 1)
  }
}
