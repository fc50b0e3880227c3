import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A history in progress: the model, and the real codes and tokens for the names in the model.
struct Course: Sendable {
  let bench: Bench
  let startedAt: Timestamp
  var model = Model()
  var names = Names()

  init(on bench: Bench) async throws {
    try await bench.prepare()
    self.bench = bench
    self.startedAt = bench.host.clock.now
  }

  /// Runs a history.
  /// - Returns: The first step at which the server differs from the model, and how.
  static func failure(of history: History, on bench: Bench) async throws -> String? {
    var course = try await Course(on: bench)
    for (index, step) in history.steps.enumerated() {
      guard let failure = try await course.take(step, by: index) else { continue }
      return "step \(index + 1) (\(step)): \(failure)"
    }
    return try await course.differences(seenBy: 0).first.map { "at the end: \($0)" }
  }

  /// Runs one step on one of the servers.
  mutating func take(_ step: Step, by index: Int) async throws -> String? {
    guard let action = self.model.resolve(step) else { return nil }
    let observed = try await self.perform(action, by: index)
    let expected = self.model.apply(action)
    if let failure = self.names.take(observed, of: action, expecting: expected, startedAt: self.startedAt) { return failure }
    // Other steps are checked at the end of the history.
    guard step.verb.namesGrant, step.verb != .open else { return nil }
    return try await self.differences(of: step.grant, seenBy: index + 1).first
  }

  /// Runs a step on the real server.
  func perform(_ action: Action, by index: Int) async throws -> Observed {
    let (server, step) = (self.bench.server(index), action.step)
    switch step.verb {
    case .open: return try await self.open(step, server)
    case .decide: return try await self.decide(step.grant, server)
    case .redeem: return try await self.redeem(step, server)
    case .refresh, .revokeRefresh, .revokeAccess: return try await self.present(action, server)
    case .signIn: return try await self.signIn(server)
    case .signOut: try await server.sessions.end(self.names.cookie?.reveal(), for: LogoutRequest(), from: .server)
    case .changePassword: try await server.accounts.setPassword(Secret(TestServer.password), of: "ada")
    case .wait: self.bench.host.clock.advance(by: .seconds(step.seconds))
    case .sweep: try await self.bench.sweep()
    case .rotateKeys: try await self.bench.rotateKeys(immediately: false)
    case .replaceKeys: try await self.bench.rotateKeys(immediately: true)
    case .restart: try self.bench.restart(index)
    case .removeClient: try await self.bench.remove(step.client)
    }
    return .done
  }

  private typealias Server = AuthorizationServer

  private func signIn(_ server: Server) async throws -> Observed {
    let password = Secret(TestServer.password)
    let ada = try await server.accounts.account(named: Username("ada"))
    guard case .success(let account) = try await server.accounts.check(password, of: ada) else {
      return .refused("password")
    }
    return .session(try await server.sessions.start(for: account, replacing: self.names.cookie?.reveal(), from: .server))
  }

  private func open(_ step: Step, _ server: Server) async throws -> Observed {
    do {
      guard
        case .signIn(let interaction) = try await server.authorization.begin(
          Wire.authorization(step), cookie: nil, from: .server)
      else {
        return .refused("no sign-in required")
      }
      return .opened(try server.interactions.seal(interaction))
    } catch { return Observed(error) }
  }

  private func decide(_ number: Int, _ server: Server) async throws -> Observed {
    let session = try await server.sessions.active(self.names.cookie?.reveal())
    do {
      let interaction = try await server.interactions.open(self.names.interactions[number] ?? "")
      guard let session else { return .refused("signedOut") }
      let response = try await server.authorization.decide(interaction, session: session, allow: true, from: .server)
      return .code(response.parameters.first { $0.name == "code" }?.value ?? "")
    } catch { return Observed(error) }
  }

  private func redeem(_ step: Step, _ server: Server) async throws -> Observed {
    guard let request = self.model.interactions[step.grant]?.request, let code = self.names.codes[step.grant] else {
      return .done
    }
    return try await self.ask(server, Wire.redemption(step, of: code, for: request), Keys.key(step.key))
  }

  private func present(_ action: Action, _ server: Server) async throws -> Observed {
    guard let request = self.model.interactions[action.step.grant]?.request else { return .done }
    let token = action.token.flatMap { self.names.tokens[$0] } ?? action.access.flatMap { self.names.access[$0] } ?? ""
    if action.step.verb == .refresh {
      return try await self.ask(server, Wire.refresh(action.step, of: token, for: request), Keys.key(action.step.key))
    }
    let form = Wire.revocation(action.step, of: token, for: request)
    do throws(RevocationError) {
      try await server.revocation.respond(to: FormParameters.encode(form), authorization: nil, from: .server, at: .unknown)
      return .done
    } catch { return Observed(error) }
  }

  private func ask(_ server: Server, _ form: Wire.Form, _ key: (any DPoPKey)?) async throws -> Observed {
    var proofs: [String] = []
    if let key, let target = DPoPTarget(method: "POST", url: Wire.issuer + EndpointPath.token) {
      let now = self.bench.host.clock.now
      proofs = [try DPoPProof.make(for: target, nonce: server.nonces.current, at: now, by: key).reveal()]
    }
    do throws(TokenError) {
      return .tokens(
        try await server.token.respond(
          to: FormParameters.encode(form), authorization: nil, proofs: proofs, from: .server, at: .unknown
        ).response)
    } catch { return Observed(error) }
  }
}

extension AccessTokenClaims {
  /// Reads the claims of a token without verifying it.
  init?(reading token: String) {
    let parts = token.split(separator: ".")
    guard parts.count == 3, let json = Base64URL.decode(parts[1]),
      let claims = try? JSONDecoder().decode(AccessTokenClaims.self, from: Data(json))
    else { return nil }
    self = claims
  }
}
