import SallyportProtocol
import SallyportServer

extension Timestamp {
  /// The time to which most times in the cases are relative.
  static let start = Timestamp(seconds: 1_800_000_000)
}

extension Fingerprint {
  /// A fingerprint that is different for each number.
  static func example(_ number: Int) -> Fingerprint {
    Fingerprint(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
  }
}

extension String {
  /// A string in the format of a JWK thumbprint, with 43 characters.
  static func exampleThumbprint(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "k", count: 43 - digits.count) + digits
  }
}

extension PushedRequestRecord {
  static func example(_ number: Int = 1, expiresAt: Timestamp = .start + .seconds(60)) -> PushedRequestRecord {
    PushedRequestRecord(
      fingerprint: .example(number), client: ClientID(rawValue: "client"), sealedParameters: [0, 255, 1], expiresAt: expiresAt)
  }
}

extension DeviceAuthorizationRecord {
  static func example(_ number: Int = 1, expiresAt: Timestamp = .start + .seconds(600)) -> DeviceAuthorizationRecord {
    DeviceAuthorizationRecord(
      fingerprint: .example(number), userCode: .example(number + 1_000), client: ClientID(rawValue: "client"),
      scope: "openid offline_access", resources: ["https://api.example.com/"], jkt: .exampleThumbprint(number), interval: 5,
      createdAt: .start, expiresAt: expiresAt)
  }
}

extension AccountRecord {
  static func example(_ id: String = "account", username: String = "ada") throws(StoreError) -> AccountRecord {
    // The body of a transaction can throw only a StoreError. None of its cases means that an example is invalid, so
    // this one is an arbitrary choice.
    guard let username = Username(username) else { throw .rolledBack }
    return AccountRecord(
      id: AccountID(rawValue: id), username: username, passwordHash: "$argon2id$", passwordChangedAt: .start, name: "Ada",
      email: "ada@example.com", createdAt: .start)
  }
}

extension ClientRecord {
  static func example(
    _ id: String = "client", origin: ClientRecord.Origin = .dynamic
  ) throws(StoreError) -> ClientRecord {
    do {
      return ClientRecord(
        id: ClientID(rawValue: id), name: "Notes", type: .public, applicationType: .native, origin: origin,
        redirectURIs: [
          try RedirectURI("http://127.0.0.1/oauth2redirect/example.com"), try RedirectURI("com.example.app:/oauth2redirect"),
        ],
        scope: "openid offline_access", signingAlgorithm: "RS256", secretFingerprint: .example(7), createdAt: .start)
    } catch {
      throw .rolledBack
    }
  }
}

extension SigningKeyRecord {
  static func example(_ id: String = "key", createdAt: Timestamp = .start) -> SigningKeyRecord {
    SigningKeyRecord(
      id: id, algorithm: "ES256", sealedPrivateKey: [0, 1, 255], createdAt: createdAt, activeAt: createdAt + .seconds(60))
  }
}

extension BrowserSessionRecord {
  static func example(_ number: Int = 1, account: String = "account", expiresAt: Timestamp = .start + .seconds(600)) -> Self {
    BrowserSessionRecord(
      fingerprint: .example(number), id: "session \(number)", account: AccountID(rawValue: account), authenticatedAt: .start,
      authenticationMethods: ["hwk", "user", "mfa"], lastSeenAt: .start, expiresAt: expiresAt)
  }
}

extension ConsentRecord {
  static func example(scope: Scope, resources: [String] = [], at givenAt: Timestamp = .start) -> ConsentRecord {
    ConsentRecord(
      account: AccountID(rawValue: "account"), client: ClientID(rawValue: "client"),
      redirectURI: "com.example.app:/oauth2redirect", resources: resources, scope: scope, givenAt: givenAt)
  }
}

extension SessionClientRecord {
  static func example(
    _ session: String = "session", client: String = "client", expiresAt: Timestamp = .start + .seconds(600)
  ) -> SessionClientRecord {
    SessionClientRecord(
      sessionID: session, client: ClientID(rawValue: client), account: AccountID(rawValue: "account"), expiresAt: expiresAt)
  }
}

extension LogoutDeliveryRecord {
  static func example(
    _ number: Int = 1, client: String = "client", dueAt: Timestamp = .start, expiresAt: Timestamp = .start + .seconds(3_600)
  ) -> LogoutDeliveryRecord {
    LogoutDeliveryRecord(
      id: "delivery \(number)", client: ClientID(rawValue: client), account: AccountID(rawValue: "account"),
      sessionID: "session", dueAt: dueAt, expiresAt: expiresAt)
  }
}

extension GrantRecord {
  static func example(
    _ id: String = "grant", account: String = "account", client: String = "client",
    expiresAt: Timestamp = .start + .seconds(86_400)
  ) -> GrantRecord {
    GrantRecord(
      id: GrantID(rawValue: id), client: ClientID(rawValue: client), account: AccountID(rawValue: account),
      scope: "openid offline_access", nonce: "n-0S6_WzA2Mj", authenticatedAt: .start, createdAt: .start, expiresAt: expiresAt)
  }
}

extension AuthorizationCodeRecord {
  static func example(
    _ number: Int = 1, grant: String = "grant", expiresAt: Timestamp = .start + .seconds(60)
  ) -> AuthorizationCodeRecord {
    AuthorizationCodeRecord(
      fingerprint: .example(number), grant: GrantID(rawValue: grant), redirectURI: "http://127.0.0.1:51004/oauth2redirect",
      challenge: try? CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", method: "S256"), expiresAt: expiresAt)
  }
}

extension RefreshTokenRecord {
  /// - Parameter number: The number of the token, and of its fingerprint unless `fingerprint` is specified.
  static func example(
    _ number: Int = 1, grant: String = "grant", fingerprint: Int? = nil, expiresAt: Timestamp = .start + .seconds(3_600)
  ) -> RefreshTokenRecord {
    RefreshTokenRecord(
      id: .example(number, grant: grant), fingerprint: .example(fingerprint ?? number), issuedAt: .start, expiresAt: expiresAt)
  }
}

extension RefreshTokenID {
  static func example(_ number: Int, grant: String = "grant") -> RefreshTokenID {
    RefreshTokenID(grant: GrantID(rawValue: grant), number: Int64(number))
  }
}

extension StoreTransaction {
  /// Writes an audit record, for changes that require one.
  mutating func recordExample() throws(StoreError) -> Recorded {
    try self.record(AuditRecord(.tokenRevoked, from: .command, at: .start))
  }

  /// Replaces a token of an example grant with the next one.
  /// - Parameter fingerprint: The number of the next token's fingerprint; nil to use the number of that token.
  /// - Returns: Whether the token was replaced.
  mutating func rotate(
    _ number: Int, grant: String = "grant", fingerprint: Int? = nil
  ) throws(StoreError) -> Bool {
    guard try self.consumeRefreshToken(.example(number, grant: grant), sealedSuccessor: [0, 255], at: .start) else {
      return false
    }
    try self.insert(RefreshTokenRecord.example(number + 1, grant: grant, fingerprint: fingerprint))
    return true
  }
}

extension StoreSnapshot {
  /// The authorization code of an example grant, if the code, the grant, and the account exist.
  func code(_ number: Int = 1, of grant: String = "grant") throws(StoreError) -> AuthorizationCodeRecord? {
    try self.authorizationCode(.example(number), of: GrantID(rawValue: grant))?.credential
  }

  /// The refresh token of an example grant, if the token, the grant, and the account exist.
  func token(_ number: Int, of grant: String = "grant", fingerprint: Int? = nil) throws(StoreError) -> RefreshTokenRecord? {
    try self.refreshToken(.example(fingerprint ?? number), .example(number, grant: grant))?.credential
  }
}

extension GrantID {
  static let example = GrantID(rawValue: "grant")
}
