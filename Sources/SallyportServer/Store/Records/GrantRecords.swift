public import SallyportProtocol

/// A user's authorization of a client, to which codes and refresh tokens belong.
public struct GrantRecord: Sendable, Equatable {
  public var id: GrantID
  public var client: ClientID
  public var account: AccountID
  public var scope: Scope
  /// The scope as requested, if less was granted. The client may repeat it in a refresh.
  public var requestedScope: Scope?
  /// The requested resources (RFC 8707); empty if there were none.
  public var resources: [String]
  public var nonce: String?
  /// The thumbprint of the DPoP key to which codes and refresh tokens are bound (RFC 9449 §5 and §10).
  public var jkt: String?
  /// The browser session of the authorization: `sid` (OpenID Connect Back-Channel Logout §2.1).
  public var sessionID: String?
  /// The `acr` claim of the tokens.
  public var authenticationContext: String?
  /// The `amr` claim of the tokens.
  public var authenticationMethods: [String]
  /// The `claims` parameter of the request as JSON (OpenID Connect Core §5.5).
  public var requestedClaims: String?
  public var authenticatedAt: Timestamp
  public var createdAt: Timestamp
  /// The absolute expiration of the grant and its refresh tokens.
  public var expiresAt: Timestamp
  public var revokedAt: Timestamp?
  public var revocationReason: RevocationReason?

  public init(
    id: GrantID, client: ClientID, account: AccountID, scope: Scope, requestedScope: Scope? = nil, resources: [String] = [],
    nonce: String? = nil, jkt: String? = nil, sessionID: String? = nil, authenticationContext: String? = nil,
    authenticationMethods: [String] = [], requestedClaims: String? = nil, authenticatedAt: Timestamp, createdAt: Timestamp,
    expiresAt: Timestamp, revokedAt: Timestamp? = nil, revocationReason: RevocationReason? = nil
  ) {
    self.id = id
    self.client = client
    self.account = account
    self.scope = scope
    self.requestedScope = requestedScope
    self.resources = resources
    self.nonce = nonce
    self.jkt = jkt
    self.sessionID = sessionID
    self.authenticationContext = authenticationContext
    self.authenticationMethods = authenticationMethods
    self.requestedClaims = requestedClaims
    self.authenticatedAt = authenticatedAt
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
    self.revocationReason = revocationReason
  }
}

/// A grant and the time of its last use.
public struct GrantUse: Sendable, Equatable {
  public var grant: GrantRecord
  /// When the client last obtained a refresh token: at its first token request, or at its last refresh. Nil if the
  /// grant has no refresh token.
  public var lastRefreshAt: Timestamp?

  public init(grant: GrantRecord, lastRefreshAt: Timestamp?) {
    self.grant = grant
    self.lastRefreshAt = lastRefreshAt
  }
}

/// The account of a valid grant, and the claims that were requested.
public struct ResourceOwner: Sendable, Equatable {
  public var account: AccountRecord
  /// The ``GrantRecord/requestedClaims`` of the grant.
  public var requestedClaims: String?

  public init(account: AccountRecord, requestedClaims: String?) {
    self.account = account
    self.requestedClaims = requestedClaims
  }
}

/// Why a grant was revoked.
public enum RevocationReason: String, Sendable, CaseIterable {
  /// A code was presented again after it had been redeemed (RFC 6749 §4.1.2).
  case codeReplayed
  /// A replaced refresh token was used after the reuse interval, or after its successor had been used (RFC 9700
  /// §4.14.2).
  case refreshTokenReused
  /// The client revoked a token of the grant (RFC 7009).
  case clientRequest
  case passwordChanged
  case accountDisabled
  /// The user, or an operator, withdrew the app's access.
  case userRequest = "userRequest"
  /// The browser session of the grant ended, and the grant did not include `offline_access`.
  case signedOut
  /// The store was restored from a backup, so it is unknown whether the grant was revoked after the backup.
  case restored
}

/// An authorization code in the store, with the values of the authorization request that the token request must match
/// (RFC 6749 §4.1.3, RFC 7636 §4.6). A grant has at most one code.
public struct AuthorizationCodeRecord: Sendable, Equatable {
  public var fingerprint: Fingerprint
  public var grant: GrantID
  /// The redirect URI of the authorization request. The token request must repeat it byte for byte, including the port.
  public var redirectURI: String
  public var challenge: CodeChallenge?
  public var expiresAt: Timestamp
  public var consumedAt: Timestamp?
  /// The number of failed redemptions.
  public var failures: Int

  public init(
    fingerprint: Fingerprint, grant: GrantID, redirectURI: String, challenge: CodeChallenge?, expiresAt: Timestamp,
    consumedAt: Timestamp? = nil, failures: Int = 0
  ) {
    self.fingerprint = fingerprint
    self.grant = grant
    self.redirectURI = redirectURI
    self.challenge = challenge
    self.expiresAt = expiresAt
    self.consumedAt = consumedAt
    self.failures = failures
  }
}

/// A refresh token in the store. Only the last token of a grant can be valid.
public struct RefreshTokenRecord: Sendable, Equatable {
  public var id: RefreshTokenID
  public var fingerprint: Fingerprint
  public var issuedAt: Timestamp
  /// The time at which the token expires if it is not used.
  public var expiresAt: Timestamp
  public var consumedAt: Timestamp?
  /// The successor, encrypted with a key derived from this token's text; removed when the successor is first used, or
  /// when the grant is revoked.
  public var sealedSuccessor: [UInt8]?

  public init(
    id: RefreshTokenID, fingerprint: Fingerprint, issuedAt: Timestamp, expiresAt: Timestamp, consumedAt: Timestamp? = nil,
    sealedSuccessor: [UInt8]? = nil
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.consumedAt = consumedAt
    self.sealedSuccessor = sealedSuccessor
  }
}

/// An authorization code or refresh token with its grant and account, which are always read together.
public struct GrantedCredential<Credential: Sendable>: Sendable {
  public let credential: Credential
  public let grant: GrantRecord
  /// The account of the grant.
  public let account: AccountRecord

  public init(_ credential: Credential, grant: GrantRecord, account: AccountRecord) {
    self.credential = credential
    self.grant = grant
    self.account = account
  }
}

extension GrantedCredential: Equatable where Credential: Equatable {}
