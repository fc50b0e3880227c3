import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport

extension HistoryRun {
  /// Returns how the store and the endpoints differ from the model, for the grants, codes, and tokens of this history.
  /// - Parameters:
  ///   - grant: The number of the only grant to check, together with its code, its refresh tokens, and its newest
  ///     access token. `nil` checks all grants, codes, and tokens.
  ///   - index: Selects the server, as in ``ServerPair/server(_:)``.
  func differences(of grant: Int? = nil, seenBy index: Int) async throws -> [String] {
    let (model, start) = (self.model, self.startedAt)
    let codes = self.issued.codes.filter { grant == nil || $0.key == grant }
    let tokens = self.issued.tokens.filter { grant == nil || $0.key.grant == grant }
    let server = self.pair.server(index)
    let stored = try await server.store.read { (tx) throws(StoreError) in
      var differences: [String] = []
      for (number, text) in codes {
        let found = try AuthorizationCode(text).flatMap { (code) throws(StoreError) in
          try tx.authorizationCode(code.fingerprint, of: code.grant)
        }
        differences += StoredRow(found?.credential, startedAt: start).differences(from: model.codes[number], "code \(number)")
        if let grant = found?.grant {
          differences += StoredRow(grant, startedAt: start).differences(from: model.grants[number], "grant \(number)")
        }
      }
      for (name, text) in tokens {
        let token = try RefreshToken(text).flatMap { (token) throws(StoreError) in try tx.refreshToken(token)?.credential }
        differences += StoredRow(token, startedAt: start).differences(
          from: model.tokens[name], "refresh token \(name.grant).\(name.number)")
      }
      return differences
    }
    return try await stored + self.differencesOfAccess(of: grant, server)
  }

  /// Returns how introspection and userinfo differ from the model.
  /// - Parameter grant: The number of the grant whose newest access token to check, or `nil` to check all access
  ///   tokens.
  private func differencesOfAccess(of grant: Int?, _ server: AuthorizationServer) async throws -> [String] {
    let newest = grant.map { AccessName(grant: $0, number: self.model.accessTokensIssued[$0, default: 0] - 1) }
    var found: [String] = []
    for (name, text) in self.issued.access where newest == nil || name == newest {
      let shouldBeActive = self.model.isActive(name)
      let form = [("token", text), ("client_id", ServerPair.api), ("client_secret", TestClient.secret)]
      let response = try await server.introspection.respond(
        to: FormParameters.encode(form), authorization: nil, origin: .request("test", from: nil), from: .unknown)
      if response.active != shouldBeActive {
        found.append(
          "access token \(name.grant).\(name.number) should be \(shouldBeActive ? "active" : "inactive"), but introspection disagrees"
        )
      }
      if let isAccepted = try await self.isAcceptedByUserinfo(name, text, server), isAccepted != shouldBeActive {
        found.append(
          "access token \(name.grant).\(name.number) should be \(shouldBeActive ? "active" : "inactive"), but userinfo disagrees")
      }
    }
    return found
  }

  /// Sends a token to userinfo without a DPoP proof, and returns whether userinfo accepts the token.
  ///
  /// Returns `nil`, and sends nothing, if the token is bound to a key, has an audience other than the issuer, or does
  /// not have the scope `openid`. Userinfo rejects such a token even if the token is active.
  private func isAcceptedByUserinfo(
    _ name: AccessName, _ text: String, _ server: AuthorizationServer
  ) async throws -> Bool? {
    guard let token = self.model.accessTokens[name], token.audience == [Wire.issuer], token.key == .none, token.isOpenID
    else { return nil }
    do {
      _ = try await server.userinfo.respond(to: .init(token: Secret(text)))
      return true
    } catch .invalidToken { return false }
  }
}

/// A database row as a list of strings, for comparison with the model.
private struct StoredRow {
  /// `nil` if the row does not exist.
  let words: [String]?

  private init(_ words: [String]?) {
    self.words = words
  }

  private static func time(_ time: Timestamp?, _ start: Timestamp) -> String {
    time.map { "\(($0.milliseconds - start.milliseconds) / 1_000)" } ?? "never"
  }

  private static func time(_ time: Int?) -> String {
    time.map { "\($0)" } ?? "never"
  }

  init(_ code: AuthorizationCodeRecord?, startedAt start: Timestamp) {
    self.init(
      code.map {
        ["ends \(Self.time($0.expiresAt, start))", "used \(Self.time($0.consumedAt, start))", "failures \($0.failures)"]
      })
  }

  init(_ token: RefreshTokenRecord?, startedAt start: Timestamp) {
    self.init(
      token.map {
        [
          "ends \(Self.time($0.expiresAt, start))", "used \(Self.time($0.consumedAt, start))",
          "keeps its successor \($0.sealedSuccessor != nil)",
        ]
      })
  }

  init(_ grant: GrantRecord?, startedAt start: Timestamp) {
    self.init(
      grant.map {
        [
          "ends \(Self.time($0.expiresAt, start))", "revoked \(Self.time($0.revokedAt, start))",
          "reason \($0.revocationReason?.rawValue ?? "nothing")", "bound to \($0.jkt ?? "no key")",
        ]
      })
  }

  func differences(from code: Model.Code?, _ name: String) -> [String] {
    self.differences(
      code.map { ["ends \($0.expiresAt)", "used \(Self.time($0.consumedAt))", "failures \($0.failures)"] }, name)
  }

  func differences(from token: Model.Token?, _ name: String) -> [String] {
    self.differences(
      token.map { ["ends \($0.expiresAt)", "used \(Self.time($0.consumedAt))", "keeps its successor \($0.keepsSuccessor)"] }, name
    )
  }

  func differences(from grant: Model.Grant?, _ name: String) -> [String] {
    self.differences(
      grant.map {
        [
          "ends \($0.expiresAt)", "revoked \(Self.time($0.revokedAt))", "reason \($0.revocationReason ?? "nothing")",
          "bound to \(Keys.key($0.boundKey)?.publicKey.thumbprint ?? "no key")",
        ]
      }, name)
  }

  private func differences(_ expected: [String]?, _ name: String) -> [String] {
    guard self.words != expected else { return [] }
    let (expected, actual) = (expected?.joined(separator: ", ") ?? "none", self.words?.joined(separator: ", ") ?? "none")
    return ["\(name): the model has: \(expected); the store has: \(actual)"]
  }
}
