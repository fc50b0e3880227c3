package import SallyportLanguages
public import SallyportProtocol

/// The account of a user.
public struct AccountRecord: Sendable, Equatable {
  public var id: AccountID
  public var username: Username
  /// The password hash in PHC string format, or ``noPassword``.
  public var passwordHash: String
  public var passwordChangedAt: Timestamp
  public var name: String?
  public var email: String?
  /// When ``email`` was verified: when the user showed that they receive mail at the address, or when an operator or a
  /// trusted upstream confirmed the address. Nil if the address is not verified.
  public var emailVerifiedAt: Timestamp?
  public var createdAt: Timestamp
  public var disabledAt: Timestamp?
  /// The language that the user has chosen for pages and mail, as a language tag (BCP 47); nil for the browser's
  /// language.
  public var language: String?

  /// The value of ``passwordHash`` for an account without a password, which no password matches.
  public static let noPassword = "!"

  public var hasPassword: Bool { self.passwordHash != Self.noPassword }

  public init(
    id: AccountID, username: Username, passwordHash: String, passwordChangedAt: Timestamp, name: String? = nil,
    email: String? = nil, emailVerifiedAt: Timestamp? = nil, createdAt: Timestamp, disabledAt: Timestamp? = nil
  ) {
    self.id = id
    self.username = username
    self.passwordHash = passwordHash
    self.passwordChangedAt = passwordChangedAt
    self.name = name
    self.email = email
    self.emailVerifiedAt = emailVerifiedAt
    self.createdAt = createdAt
    self.disabledAt = disabledAt
  }
}

extension AccountRecord {
  /// The language that the user has chosen; nil if there is none, or if this version of the server does not have it.
  package var chosenLanguage: Language? { self.language.flatMap { Language(rawValue: $0) } }
}

/// A signing key in the store. The private key is encrypted with the server's master key.
public struct SigningKeyRecord: Sendable, Equatable {
  /// The `kid`.
  public var id: String
  /// `ES256` or `RS256`.
  public var algorithm: String
  public var sealedPrivateKey: [UInt8]
  public var createdAt: Timestamp
  /// The time from which the key signs. Before that, it is only published.
  public var activeAt: Timestamp
  /// The time from which the key no longer signs.
  public var retiredAt: Timestamp?
  /// The time from which the key is no longer kept, not even for ID token hints.
  public var removedAt: Timestamp?

  public init(
    id: String, algorithm: String, sealedPrivateKey: [UInt8], createdAt: Timestamp, activeAt: Timestamp,
    retiredAt: Timestamp? = nil, removedAt: Timestamp? = nil
  ) {
    self.id = id
    self.algorithm = algorithm
    self.sealedPrivateKey = sealedPrivateKey
    self.createdAt = createdAt
    self.activeAt = activeAt
    self.retiredAt = retiredAt
    self.removedAt = removedAt
  }
}

/// The session of a signed-in browser.
public struct BrowserSessionRecord: Sendable, Equatable {
  public var fingerprint: Fingerprint
  /// The `sid`, which identifies the session to clients and cannot be used as a cookie. It stays the same if the same
  /// user authenticates again with the same browser.
  public var id: String
  public var account: AccountID
  /// The `auth_time`: when the user was authenticated.
  public var authenticatedAt: Timestamp
  /// The `amr`: how the user was authenticated (RFC 8176).
  public var authenticationMethods: [String]
  public var lastSeenAt: Timestamp
  /// The absolute expiration.
  public var expiresAt: Timestamp
  public var endedAt: Timestamp?
  /// The `User-Agent` of the browser at sign-in, without control characters and limited in length.
  public var userAgent: String?
  /// The network address of the browser at sign-in.
  public var address: String?
  /// Whether the user said that the device belongs to someone else. Such a session ends early.
  public var isOnPublicDevice: Bool
  /// The session at the upstream through which the user was authenticated; nil if the user was authenticated by this
  /// server alone.
  public var upstream: UpstreamSession?

  public init(
    fingerprint: Fingerprint, id: String, account: AccountID, authenticatedAt: Timestamp,
    authenticationMethods: [String], lastSeenAt: Timestamp, expiresAt: Timestamp, endedAt: Timestamp? = nil,
    userAgent: String? = nil, address: String? = nil, isOnPublicDevice: Bool = false,
    upstream: UpstreamSession? = nil
  ) {
    self.fingerprint = fingerprint
    self.id = id
    self.account = account
    self.authenticatedAt = authenticatedAt
    self.authenticationMethods = authenticationMethods
    self.lastSeenAt = lastSeenAt
    self.expiresAt = expiresAt
    self.endedAt = endedAt
    self.userAgent = userAgent
    self.address = address
    self.isOnPublicDevice = isOnPublicDevice
    self.upstream = upstream
  }
}

/// A user's consent for a client, redirect URI, and set of resources.
public struct ConsentRecord: Sendable, Equatable {
  public var account: AccountID
  public var client: ClientID
  public var redirectURI: String
  /// The sorted resources for which consent was given (RFC 8707); empty if there were none.
  public var resources: [String]
  public var scope: Scope
  public var givenAt: Timestamp

  public init(
    account: AccountID, client: ClientID, redirectURI: String, resources: [String] = [], scope: Scope, givenAt: Timestamp
  ) {
    self.account = account
    self.client = client
    self.redirectURI = redirectURI
    self.resources = resources.sorted()
    self.scope = scope
    self.givenAt = givenAt
  }
}
