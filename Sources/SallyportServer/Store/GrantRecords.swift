public import SallyportProtocol

/// One person's agreement with one client: what codes and refresh tokens belong to.
public struct GrantRecord: Sendable, Equatable {
  public var id: GrantID
  public var client: ClientID
  public var account: AccountID
  public var scope: Scope
  /// What the client asked for, where it was granted less: it may repeat that at a refresh and gets what was granted.
  public var requestedScope: Scope?
  /// The resource indicators of the request, RFC 8707; empty where there were none.
  public var resources: [String]
  public var nonce: String?
  /// The thumbprint of the key to which codes and refresh tokens are bound, RFC 9449 §5 and §10.
  public var boundKey: String?
  /// The browser session in which the person agreed: `sid` (OpenID Connect Back-Channel Logout §2.1).
  public var sessionID: String?
  /// `acr`.
  public var authenticationContext: String?
  /// `amr`.
  public var authenticationMethods: [String]
  /// The `claims` parameter of the request as JSON, OpenID Connect Core §5.5.
  public var requestedClaims: String?
  public var authenticatedAt: Timestamp
  public var createdAt: Timestamp
  /// When the grant ends at the latest; nothing of it works after.
  public var expiresAt: Timestamp
  public var revokedAt: Timestamp?
  public var revocationReason: RevocationReason?

  public init(
    id: GrantID, client: ClientID, account: AccountID, scope: Scope, requestedScope: Scope? = nil, resources: [String] = [],
    nonce: String? = nil, boundKey: String? = nil, sessionID: String? = nil, authenticationContext: String? = nil,
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
    self.boundKey = boundKey
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

/// Whom a living grant speaks for, and what it was asked to tell of them.
public struct GrantHolder: Sendable, Equatable {
  public var account: AccountRecord
  /// ``GrantRecord/requestedClaims``.
  public var requestedClaims: String?

  public init(account: AccountRecord, requestedClaims: String?) {
    self.account = account
    self.requestedClaims = requestedClaims
  }
}

/// Why a grant ended before its time.
public enum RevocationReason: String, Sendable, CaseIterable {
  /// A code was presented again after it had been redeemed, RFC 6749 §4.1.2.
  case codeReplayed
  /// A replaced refresh token came back outside the lost-reply window, RFC 9700 §4.14.2.
  case refreshTokenReused
  /// The client asked for it, RFC 7009.
  case clientRequest
  case passwordChanged
  case accountDisabled
  /// The person withdrew the app's access.
  case personRequest
  /// The person signed out, and the client wanted no access beyond that.
  case signedOut
  /// The store came back from a backup, and whether the grant had been revoked since is not known.
  case restored
}

/// An authorization code at rest, the one of its grant, bound to all that RFC 6749 §4.1.3 and RFC 7636 §4.6 name.
public struct AuthorizationCodeRecord: Sendable, Equatable {
  public var fingerprint: Fingerprint
  public var grant: GrantID
  /// Byte for byte, with its port.
  public var redirectURI: String
  public var challenge: CodeChallenge?
  public var expiresAt: Timestamp
  public var consumedAt: Timestamp?
  /// Redemptions that failed, see the design: a code dies after five.
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

/// Which of its grant's refresh tokens a token is. They are numbered in the order in which one replaces the other.
public struct RefreshTokenID: Sendable, Hashable {
  public var grant: GrantID
  /// Begins with one. Tokens that were issued before they had numbers have some that are not positive, of which zero is the last.
  public var number: Int64

  public init(grant: GrantID, number: Int64) {
    self.grant = grant
    self.number = number
  }

  /// What a grant begins with.
  public static func first(of grant: GrantID) -> RefreshTokenID {
    RefreshTokenID(grant: grant, number: 1)
  }

  /// The token that replaces this one.
  public var successor: RefreshTokenID { RefreshTokenID(grant: self.grant, number: self.number + 1) }

  /// The token that this one replaced, if it is not the first.
  public var predecessor: RefreshTokenID { RefreshTokenID(grant: self.grant, number: self.number - 1) }
}

/// A refresh token at rest. Of a grant's tokens only the last can be live: it replaced all others.
public struct RefreshTokenRecord: Sendable, Equatable {
  public var id: RefreshTokenID
  public var fingerprint: Fingerprint
  public var issuedAt: Timestamp
  /// When it ends if it is not used.
  public var expiresAt: Timestamp
  public var consumedAt: Timestamp?
  /// The successor, sealed under a key derived from this token's own text; gone when the successor was first used.
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

/// A code or a refresh token with what it stands for: nobody needs the one without the other.
public struct Granted<Credential: Sendable>: Sendable {
  public let credential: Credential
  public let grant: GrantRecord
  /// Who gave the grant.
  public let account: AccountRecord

  public init(_ credential: Credential, grant: GrantRecord, account: AccountRecord) {
    self.credential = credential
    self.grant = grant
    self.account = account
  }
}

extension Granted: Equatable where Credential: Equatable {}
