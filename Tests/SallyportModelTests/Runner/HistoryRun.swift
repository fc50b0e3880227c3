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

/// A history (a sequence of steps) in progress: the model, the servers, and the values that the servers issued.
struct HistoryRun: Sendable {
  let pair: ServerPair
  let startedAt: Timestamp
  var model = Model()
  var issued = IssuedValues()

  init(on pair: ServerPair) async throws {
    try await pair.prepare()
    self.pair = pair
    self.startedAt = pair.operatorProcess.clock.now
  }

  /// Runs a history.
  /// - Returns: The first step after which the server differs from the model, and how, or `nil` if there is no
  ///   difference.
  static func failure(of history: History, on pair: ServerPair) async throws -> String? {
    var run = try await HistoryRun(on: pair)
    for (index, step) in history.steps.enumerated() {
      guard let failure = try await run.runStep(step, by: index) else { continue }
      return "step \(index + 1) (\(step)): \(failure)"
    }
    return try await run.differences(seenBy: 0).first.map { "at the end: \($0)" }
  }

  /// Runs one step on one of the servers. Compares the response, and the state that the other server then reports, with
  /// the model.
  /// - Parameter index: The number of the step, which selects the server that runs it.
  /// - Returns: The difference, or `nil` if there is none.
  mutating func runStep(_ step: Step, by index: Int) async throws -> String? {
    guard let action = self.model.resolve(step) else { return nil }
    let observed = try await self.perform(action, by: index)
    let expected = self.model.apply(action)
    if let failure = self.issued.record(observed, of: action, expecting: expected, startedAt: self.startedAt) { return failure }
    // An `open` step changes nothing in the store. The effects of steps that name no grant are checked at the end of
    // the history.
    guard step.verb.namesGrant, step.verb != .open else { return nil }
    return try await self.differences(of: step.grant, seenBy: index + 1).first
  }

  /// Runs a step on the real server.
  func perform(_ action: Action, by index: Int) async throws -> ObservedResponse {
    let (server, step) = (self.pair.server(index), action.step)
    switch step.verb {
    case .open: return try await self.open(step, server)
    case .consent: return try await self.consent(to: step.grant, server)
    case .redeem: return try await self.redeem(step, server)
    case .refresh, .revokeRefresh, .revokeAccess: return try await self.present(action, server)
    case .signIn: return try await self.signIn(server)
    case .signOut: try await server.sessions.end(self.issued.cookie?.reveal(), for: LogoutRequest(), from: .server)
    case .changePassword: try await server.accounts.setPassword(Secret(TestServer.password), of: "ada")
    case .wait: self.pair.operatorProcess.clock.advance(by: .seconds(step.seconds))
    case .sweep: try await self.pair.sweep()
    case .rotateKeys: try await self.pair.rotateKeys(immediately: false)
    case .replaceKeys: try await self.pair.rotateKeys(immediately: true)
    case .restart: try self.pair.restart(index)
    case .removeClient: try await self.pair.remove(step.client)
    }
    return .done
  }

  private typealias Server = AuthorizationServer

  private func signIn(_ server: Server) async throws -> ObservedResponse {
    let password = Secret(TestServer.password)
    let ada = try await server.accounts.account(named: Username("ada"))
    guard case .success(let account) = try await server.accounts.check(password, of: ada) else {
      return .refused("password")
    }
    return .session(
      try await server.sessions.start(for: account, by: ["pwd"], replacing: self.issued.cookie?.reveal(), from: .server)?
        .value)
  }

  private func open(_ step: Step, _ server: Server) async throws -> ObservedResponse {
    do {
      guard
        case .signIn(let interaction) = try await server.authorization.begin(
          Wire.authorization(step), cookie: nil, origin: .request("test", from: nil))
      else {
        return .refused("no sign-in required")
      }
      return .opened(try server.interactions.seal(interaction))
    } catch { return ObservedResponse(error) }
  }

  private func consent(to number: Int, _ server: Server) async throws -> ObservedResponse {
    let session = try await server.sessions.active(self.issued.cookie?.reveal())
    do {
      let interaction = try await server.interactions.open(self.issued.interactions[number] ?? "")
      guard let session else { return .refused("signedOut") }
      let response = try await server.authorization.decide(interaction, session: session, allow: true, from: .server)
      return .code(response.parameters.first { $0.name == "code" }?.value ?? "")
    } catch { return ObservedResponse(error) }
  }

  private func redeem(_ step: Step, _ server: Server) async throws -> ObservedResponse {
    guard let request = self.model.interactions[step.grant]?.request, let code = self.issued.codes[step.grant] else {
      return .done
    }
    return try await self.ask(server, Wire.redemption(step, of: code, for: request), Keys.key(step.key))
  }

  private func present(_ action: Action, _ server: Server) async throws -> ObservedResponse {
    guard let request = self.model.interactions[action.step.grant]?.request else { return .done }
    // The refresh token or access token that the action names, or an empty string if the server issued none.
    let token = action.token.flatMap { self.issued.tokens[$0] } ?? action.access.flatMap { self.issued.access[$0] } ?? ""
    if action.step.verb == .refresh {
      return try await self.ask(server, Wire.refresh(action.step, of: token, for: request), Keys.key(action.step.key))
    }
    let form = Wire.revocation(action.step, of: token, for: request)
    do throws(RevocationError) {
      try await server.revocation.respond(
        to: FormParameters.encode(form), authorization: nil, origin: .request("test", from: nil), from: .unknown)
      return .done
    } catch { return ObservedResponse(error) }
  }

  private func ask(_ server: Server, _ form: Wire.Form, _ key: (any DPoPKey)?) async throws -> ObservedResponse {
    var proofs: [String] = []
    if let key, let target = DPoPTarget(method: "POST", url: Wire.issuer + EndpointPath.token) {
      let now = self.pair.operatorProcess.clock.now
      proofs = [try DPoPProof.make(for: target, nonce: server.nonces.current, at: now, by: key).reveal()]
    }
    do throws(TokenError) {
      return .tokens(
        try await server.token.respond(
          to: FormParameters.encode(form), authorization: nil, proofs: proofs, origin: .request("test", from: nil), from: .unknown
        ).response)
    } catch { return ObservedResponse(error) }
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
