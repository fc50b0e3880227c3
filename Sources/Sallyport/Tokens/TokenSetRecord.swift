#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportRemote

/// The stored form of a ``TokenSet``: versioned JSON, so that later releases can read it.
struct TokenSetRecord: Codable {
  static let currentVersion = 1

  var version: Int
  var id: String
  var generation: Int
  var issuer: String
  var clientID: String
  var scope: String
  var accessToken: String
  /// In milliseconds since 1970, like `expiresAt` and `unansweredSince`.
  var obtainedAt: Int64
  var expiresAt: Int64?
  var refreshToken: String?
  /// ``TokenSet/responseUnknownSince``. The JSON keeps an earlier name of the property, which stored sessions contain.
  var unansweredSince: Int64?
  /// The error code of ``TokenSet/errorResponse``.
  var refusal: String?
  var refusalDescription: String?
  var claims: IDTokenClaims?
  var idToken: String?
  /// ``TokenSet/additional``. `nil` if there are no such members, and in records of previews of version 0.1.
  var additional: [String: JSONValue]?
  /// `nil` for `bearer`.
  var tokenType: TokenType?
  /// Encoded as base64url.
  var dpopKey: String?
  var resources: [ResourceIndicator]?
  /// The access tokens for other APIs or scopes than the session's own (``TokenTarget``). `nil` if the session has
  /// never received such a token, and in records of previews of version 0.1.
  var targetTokens: [TargetTokenRecord]?
  /// `nil` for `false`, and in records of previews of version 0.1.
  var offlineAccess: Bool?

  init(_ tokenSet: TokenSet) {
    self.version = Self.currentVersion
    self.id = tokenSet.id
    self.generation = tokenSet.generation
    self.issuer = tokenSet.issuer.value
    self.clientID = tokenSet.clientID
    self.scope = tokenSet.scope.description
    self.accessToken = tokenSet.accessToken.reveal()
    self.obtainedAt = tokenSet.obtainedAt.milliseconds
    self.expiresAt = tokenSet.expiresAt?.milliseconds
    self.refreshToken = tokenSet.refreshToken?.reveal()
    self.unansweredSince = tokenSet.responseUnknownSince?.milliseconds
    self.refusal = tokenSet.errorResponse.map { "\($0.code)" }
    self.refusalDescription = tokenSet.errorResponse?.description
    self.claims = tokenSet.claims
    self.idToken = tokenSet.idToken?.reveal()
    let additional = tokenSet.additional.reveal()
    self.additional = additional.isEmpty ? nil : additional
    self.tokenType = tokenSet.tokenType == .bearer ? nil : tokenSet.tokenType
    self.dpopKey = tokenSet.dpopKey.map { Base64URL.encode($0.reveal()) }
    self.resources = tokenSet.resources.isEmpty ? nil : tokenSet.resources
    self.targetTokens = tokenSet.hasUsedTargets ? tokenSet.targetTokens.map(TargetTokenRecord.init) : nil
    self.offlineAccess = tokenSet.hasOfflineAccess ? true : nil
  }

  /// - Throws: ``TokenStoreError/damaged(reason:)`` if the record has an unsupported version or an invalid scope, or
  ///   belongs to a different issuer or client.
  func tokenSet(issuer: Issuer, clientID: String) throws(TokenStoreError) -> TokenSet {
    guard self.version == Self.currentVersion else {
      throw .damaged(reason: "the stored session has an unsupported version")
    }
    guard self.issuer == issuer.value, self.clientID == clientID else {
      throw .damaged(reason: "the stored session belongs to a different client")
    }
    guard let scope = Scope(self.scope) else { throw .damaged(reason: "the stored session has an invalid scope") }
    var tokenSet = TokenSet(
      id: self.id, generation: self.generation, issuer: issuer, clientID: clientID, scope: scope,
      accessToken: Secret(self.accessToken), obtainedAt: Timestamp(milliseconds: self.obtainedAt),
      expiresAt: self.expiresAt.map(Timestamp.init(milliseconds:)), refreshToken: self.refreshToken.map(Secret.init),
      claims: self.claims)
    tokenSet.responseUnknownSince = self.unansweredSince.map(Timestamp.init(milliseconds:))
    tokenSet.errorResponse = self.refusal.map { OAuthErrorResponse(error: $0, description: self.refusalDescription) }
    tokenSet.idToken = self.idToken.map(Secret.init)
    tokenSet.additional = Secret(self.additional ?? [:])
    tokenSet.tokenType = self.tokenType ?? .bearer
    tokenSet.dpopKey = self.dpopKey.flatMap { Base64URL.decode($0) }.map { Secret($0) }
    tokenSet.resources = self.resources ?? []
    tokenSet.hasOfflineAccess = self.offlineAccess ?? false
    tokenSet.hasUsedTargets = self.targetTokens != nil
    // Tokens that cannot be read are left out, because they can be requested again.
    let targetTokens = (self.targetTokens ?? []).compactMap { record in record.token.map { (record.target, $0) } }
    tokenSet.targetTokens = Dictionary(targetTokens) { _, last in last }
    return tokenSet
  }

  func encoded() throws(TokenStoreError) -> Secret<[UInt8]> {
    do {
      return Secret(Array(try JSONEncoder().encode(self)))
    } catch {
      throw .failed(reason: "the session could not be encoded as JSON")
    }
  }

  static func decode(_ stored: Secret<[UInt8]>) throws(TokenStoreError) -> TokenSetRecord {
    do {
      return try JSONDecoder().decode(TokenSetRecord.self, from: Data(stored.reveal()))
    } catch {
      throw .damaged(reason: "the stored session cannot be read")
    }
  }
}
