public import SallyportProtocol

/// A person who can sign in.
public struct AccountRecord: Sendable, Equatable {
  public var id: AccountID
  public var username: Username
  /// In PHC string format.
  public var passwordHash: String
  public var passwordChangedAt: Timestamp
  public var name: String?
  public var email: String?
  public var createdAt: Timestamp
  public var disabledAt: Timestamp?

  public init(
    id: AccountID, username: Username, passwordHash: String, passwordChangedAt: Timestamp, name: String? = nil,
    email: String? = nil, createdAt: Timestamp, disabledAt: Timestamp? = nil
  ) {
    self.id = id
    self.username = username
    self.passwordHash = passwordHash
    self.passwordChangedAt = passwordChangedAt
    self.name = name
    self.email = email
    self.createdAt = createdAt
    self.disabledAt = disabledAt
  }
}

/// A signing key as it rests: the private part sealed under the server's key file.
public struct SigningKeyRecord: Sendable, Equatable {
  /// The `kid`.
  public var id: String
  /// `ES256` or `RS256`.
  public var algorithm: String
  public var sealedPrivateKey: [UInt8]
  public var createdAt: Timestamp
  /// From when the key signs; before, it is only published.
  public var activeAt: Timestamp
  /// From when it no longer signs.
  public var retiredAt: Timestamp?
  /// From when it is no longer published.
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

/// A signed-in browser.
public struct BrowserSessionRecord: Sendable, Equatable {
  public var fingerprint: Fingerprint
  /// `sid`: names the session to clients, and is of no use in a cookie. It stays when the same person proves anew who they are.
  public var id: String
  public var account: AccountID
  /// When the person proved who they are: `auth_time`.
  public var authenticatedAt: Timestamp
  public var lastSeenAt: Timestamp
  /// The absolute end.
  public var expiresAt: Timestamp
  public var endedAt: Timestamp?

  public init(
    fingerprint: Fingerprint, id: String, account: AccountID, authenticatedAt: Timestamp, lastSeenAt: Timestamp,
    expiresAt: Timestamp, endedAt: Timestamp? = nil
  ) {
    self.fingerprint = fingerprint
    self.id = id
    self.account = account
    self.authenticatedAt = authenticatedAt
    self.lastSeenAt = lastSeenAt
    self.expiresAt = expiresAt
    self.endedAt = endedAt
  }
}

/// What a person agreed to, for one client at one redirect URI and for these resources.
public struct ConsentRecord: Sendable, Equatable {
  public var account: AccountID
  public var client: ClientID
  public var redirectURI: String
  /// The resource indicators for which the scope was agreed to (RFC 8707), in order; empty where none were named.
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
