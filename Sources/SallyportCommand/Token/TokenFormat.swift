import ArgumentParser
import Sallyport
import SallyportProtocol

/// The output format of `sallyport token`.
enum TokenFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json, kubectl
  case idToken = "id-token"
  case kubectlIDToken = "kubectl-id-token"

  /// Whether the format contains the ID token instead of the access token.
  var isIDToken: Bool { self == .idToken || self == .kubectlIDToken }

  /// Prints an ID token.
  func print(idToken: Secret<String>, expiration: Timestamp) throws {
    guard self == .kubectlIDToken else { return Output.result(idToken.reveal()) }
    try Output.result(json: ExecCredential(token: idToken, expiration: expiration))
  }

  func print(_ token: Secret<String>, _ session: OAuthSession, _ account: Account) async throws {
    try self.print(
      token, type: await session.isSenderConstrained ? .dpop : .bearer,
      expiration: await session.expiration.map { Timestamp($0) }, scope: await session.scope, account)
  }

  func print(_ token: Sallyport.AccessToken, _ account: Account) throws {
    try self.print(
      token.value, type: token.type, expiration: token.expiration.map { Timestamp($0) }, scope: token.scope, account)
  }

  private func print(
    _ token: Secret<String>, type: TokenType, expiration: Timestamp?, scope: Scope, _ account: Account
  ) throws {
    switch self {
    // `TokenCommand` prints no access token in the two formats for ID tokens.
    case .text, .idToken, .kubectlIDToken: Output.result(token.reveal())
    case .json:
      try Output.result(
        json: TokenReport(
          accessToken: token.reveal(), tokenType: type.scheme, expiresAt: expiration?.seconds, profile: account.profile,
          issuer: account.issuer.value, clientID: account.clientID, scope: scope.description))
    case .kubectl: try Output.result(json: ExecCredential(token: token, expiration: expiration))
    }
  }
}

/// The output of `token --json`.
private struct TokenReport: Encodable {
  var accessToken: String
  var tokenType: String
  /// Seconds since 1970, or `nil` if unknown.
  var expiresAt: Int64?
  var profile: ProfileName?
  var issuer: String
  var clientID: String
  var scope: String

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresAt = "expires_at"
    case profile
    case issuer
    case clientID = "client_id"
    case scope
  }
}
