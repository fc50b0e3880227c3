#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// The stored form of a ``Grant``: versioned JSON, so that later releases can read it.
struct GrantRecord: Codable {
  static let currentVersion = 1

  var version: Int
  var id: String
  var generation: Int
  var issuer: String
  var clientID: String
  var scope: String
  var accessToken: String
  /// Milliseconds since 1970, as for `expiresAt`.
  var obtainedAt: Int64
  var expiresAt: Int64?
  var refreshToken: String?
  var unansweredSince: Int64?
  var refusal: String?
  var refusalDescription: String?
  var claims: IDTokenClaims?
  var idToken: String?
  /// `nil` for `bearer`.
  var tokenType: TokenType?
  /// Encoded as base64url.
  var dpopKey: String?
  var resources: [ResourceIndicator]?

  init(_ grant: Grant) {
    self.version = Self.currentVersion
    self.id = grant.id
    self.generation = grant.generation
    self.issuer = grant.issuer.value
    self.clientID = grant.clientID
    self.scope = grant.scope.description
    self.accessToken = grant.accessToken.reveal()
    self.obtainedAt = grant.obtainedAt.milliseconds
    self.expiresAt = grant.expiresAt?.milliseconds
    self.refreshToken = grant.refreshToken?.reveal()
    self.unansweredSince = grant.unansweredSince?.milliseconds
    self.refusal = grant.refusal.map { "\($0.code)" }
    self.refusalDescription = grant.refusal?.description
    self.claims = grant.claims
    self.idToken = grant.idToken?.reveal()
    self.tokenType = grant.tokenType == .bearer ? nil : grant.tokenType
    self.dpopKey = grant.dpopKey.map { Base64URL.encode($0.reveal()) }
    self.resources = grant.resources.isEmpty ? nil : grant.resources
  }

  /// - Throws: ``TokenStoreError/damaged(reason:)`` if the record has another version or belongs to another client.
  func grant(issuer: Issuer, clientID: String) throws(TokenStoreError) -> Grant {
    guard self.version == Self.currentVersion else {
      throw .damaged(reason: "the stored session has an unsupported version")
    }
    guard self.issuer == issuer.value, self.clientID == clientID, let scope = Scope(self.scope) else {
      throw .damaged(reason: "the stored session belongs to another account")
    }
    var grant = Grant(
      id: self.id, generation: self.generation, issuer: issuer, clientID: clientID, scope: scope,
      accessToken: Secret(self.accessToken), obtainedAt: Timestamp(milliseconds: self.obtainedAt),
      expiresAt: self.expiresAt.map(Timestamp.init(milliseconds:)), refreshToken: self.refreshToken.map(Secret.init),
      claims: self.claims)
    grant.unansweredSince = self.unansweredSince.map(Timestamp.init(milliseconds:))
    grant.refusal = self.refusal.map { ServerRefusal(error: $0, description: self.refusalDescription) }
    grant.idToken = self.idToken.map(Secret.init)
    grant.tokenType = self.tokenType ?? .bearer
    grant.dpopKey = self.dpopKey.flatMap { Base64URL.decode($0) }.map { Secret($0) }
    grant.resources = self.resources ?? []
    return grant
  }

  func encoded() throws(TokenStoreError) -> Secret<[UInt8]> {
    do {
      return Secret(Array(try JSONEncoder().encode(self)))
    } catch {
      throw .failed(reason: "the session could not be encoded as JSON")
    }
  }

  static func decode(_ stored: Secret<[UInt8]>) throws(TokenStoreError) -> GrantRecord {
    do {
      return try JSONDecoder().decode(GrantRecord.self, from: Data(stored.reveal()))
    } catch {
      throw .damaged(reason: "the stored session cannot be read")
    }
  }
}
