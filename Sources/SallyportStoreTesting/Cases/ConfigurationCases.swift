import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var clientCases: [Case] {
    [
      Case("a client is stored with its redirect URIs in order and byte for byte") { try await self.findsClients($0) },
      Case("client identifiers are unique") { try await self.keepsClientIDsUnique($0) },
      Case("updating a client stores its new values, but not a new origin or creation time") {
        try await self.updatesClients($0)
      },
      Case("S-10: a public client does not authenticate, and a confidential client has the credentials for its method") {
        try await self.checksClientCredentials($0)
      },
      Case("a client is removed with its grants, and other clients' grants remain") { try await self.removesClients($0) },
      Case("each change to a client or key increments the configuration version, and other connections see the new version") {
        try await self.incrementsVersion($0)
      },
    ]
  }

  static var keyCases: [Case] {
    [
      Case("signing keys are listed oldest first") { try await self.listsKeys($0) },
      Case("retiring a key never postpones a time that is already set") { try await self.retiresKeys($0) },
    ]
  }

  private static func findsClients(_ harness: Harness) async throws {
    let store = try await harness.open()
    let first = try ClientRecord.example()
    var second = try ClientRecord.example("second")
    second.type = .confidential
    second.applicationType = .web
    second.origin = .operator
    second.redirectURIs = try ["z", "a", "m", "a%2Fb", "%61"].map { try RedirectURI("https://example.com/\($0)?x=%20y") }
    second.signingAlgorithm = "ES256"
    second.authenticationMethod = .privateKeyJWT
    second.secretFingerprint = nil
    second.keys = .inline(#"{"keys":[]}"#)
    second.grantTypes = [.clientCredentials, .deviceCode]
    second.isFirstParty = true
    second.details.postLogoutRedirectURIs = ["https://example.com/bye"]
    second.details.androidApps = [.init(package: "com.example", certificateDigests: ["14:6D"])]
    second.createdAt = .start + .seconds(1)
    try await store.write { [second] (tx) throws(StoreError) in
      try tx.insert(second)
      try tx.insert(first)
    }
    let found = try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.client(ClientID(rawValue: "CLIENT")) == nil, "client identifiers must be case-sensitive")
      return ([try snapshot.client(first.id), try snapshot.client(ClientID(rawValue: "second"))], try snapshot.clients())
    }
    try expect(found.0, is: [first, second], "clients by identifier")
    try expect(found.1, is: [first, second], "all clients")
  }

  private static func keepsClientIDsUnique(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await expectError(.conflict, "a client with the same identifier") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(ClientRecord.example()) }
    }
  }

  private static func updatesClients(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    var changed = try ClientRecord.example()
    changed.name = "Notes 2"
    changed.type = .confidential
    changed.authenticationMethod = .clientSecretPost
    changed.redirectURIs = try [RedirectURI("https://example.com/new")]
    changed.scope = "openid"
    changed.signingAlgorithm = "ES256"
    changed.secretFingerprint = .example(8)
    changed.keys = .remote("https://example.com/jwks.json")
    changed.grantTypes = [.authorizationCode]
    changed.registrationToken = .example(9)
    changed.details.clientURI = "https://example.com/"
    let found = try await store.write { [changed] (tx) throws(StoreError) in
      var unknown = changed
      unknown.id = ClientID(rawValue: "nobody")
      try check(!tx.update(unknown), "updating an unknown client must return false")
      var withOtherOriginAndTime = changed
      withOtherOriginAndTime.createdAt = .start + .seconds(99)
      withOtherOriginAndTime.origin = .document
      try check(tx.update(withOtherOriginAndTime), "updating a client must return true")
      return try tx.client(changed.id)
    }
    try expect(found, is: changed, "the client")
  }

  private static func checksClientCredentials(_ harness: Harness) async throws {
    let store = try await harness.open()
    typealias Change = (inout ClientRecord) -> Void
    let changes: [(String, Change)] = [
      ("a public client with an authentication method", { $0.authenticationMethod = .clientSecretBasic }),
      ("a confidential client without an authentication method", { $0.type = .confidential }),
      (
        "a method that needs a secret, without a secret",
        { ($0.type, $0.authenticationMethod, $0.secretFingerprint) = (.confidential, .clientSecretPost, nil) }
      ),
      ("a method that needs keys, without keys", { ($0.type, $0.authenticationMethod) = (.confidential, .privateKeyJWT) }),
      // Two values that not every origin allows.
      ("a dynamic client as a first-party client", { $0.isFirstParty = true }),
      ("an operator's client with a registration access token", { ($0.origin, $0.registrationToken) = (.operator, .example(1)) }),
    ]
    for (name, change) in changes {
      var client = try ClientRecord.example()
      change(&client)
      do {
        try await store.write { [client] (tx) throws(StoreError) in try tx.insert(client) }
      } catch {
        continue
      }
      throw ConformanceFailure("\(name): expected an error, but there was none", fileID: #fileID, line: #line)
    }
  }

  private static func removesClients(_ harness: Harness) async throws {
    let store = try await harness.openWithGrant()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(ClientRecord.example("other"))
      try tx.insert(GrantRecord.example("kept", client: "other"))
      for (number, grant) in [(1, "grant"), (2, "kept")] {
        try tx.insert(AuthorizationCodeRecord.example(number, grant: grant))
        try tx.insert(RefreshTokenRecord.example(number, grant: grant))
      }
      try tx.remember(ConsentRecord.example(scope: "openid"))
    }
    try await store.write { (tx) throws(StoreError) in
      try check(tx.removeClient(ClientID(rawValue: "client"), tx.recordExample()), "removing a client must return true")
      try check(!tx.removeClient(ClientID(rawValue: "client"), tx.recordExample()), "removing a client again must return false")
    }
    try await store.read { (snapshot) throws(StoreError) in
      try check(snapshot.client(ClientID(rawValue: "client")) == nil, "the client must be removed")
      try check(snapshot.grant(GrantID(rawValue: "grant")) == nil, "its grant must be removed")
      try check(snapshot.code() == nil, "its code must be removed")
      try check(snapshot.token(1) == nil, "its token must be removed")
      let consent = ConsentRecord.example(scope: "openid")
      try check(
        snapshot.consents(account: consent.account, client: consent.client, redirectURI: consent.redirectURI).isEmpty,
        "its consents must be removed")
      try check(snapshot.grant(GrantID(rawValue: "kept")) != nil, "the other client's grant must remain")
      try check(snapshot.code(2, of: "kept") != nil, "the other grant's code must remain")
      try check(snapshot.token(2, of: "kept") != nil, "the other grant's token must remain")
      try check(snapshot.account(AccountID(rawValue: "account")) != nil, "the account must remain")
    }
  }

  private static func incrementsVersion(_ harness: Harness) async throws {
    let (store, observer) = (try await harness.open(), try await harness.open())
    var last = try await observer.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    let changes: [(String, @Sendable (inout any StoreTransaction) throws(StoreError) -> Void)] = [
      ("insert a client", { (tx) throws(StoreError) in try tx.insert(ClientRecord.example()) }),
      ("insert a key", { (tx) throws(StoreError) in try tx.insert(SigningKeyRecord.example()) }),
      (
        "retire a key",
        { (tx) throws(StoreError) in _ = try tx.retireSigningKey("key", at: .start, removedAt: .start, tx.recordExample()) }
      ),
      ("change a client", { (tx) throws(StoreError) in _ = try tx.update(ClientRecord.example()) }),
      (
        "remove a client",
        { (tx) throws(StoreError) in _ = try tx.removeClient(ClientID(rawValue: "client"), tx.recordExample()) }
      ),
    ]
    for (name, change) in changes {
      try await store.write(change)
      let version = try await observer.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
      try expect(version > last, "\(name): the version was \(last) and is \(version)")
      last = version
    }
    // The last change removed the client, but the lease below needs a client.
    try await store.write { (tx) throws(StoreError) in try tx.insert(ClientRecord.example()) }
    last = try await observer.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(AccountRecord.example())
      try tx.put(ClientLeaseRecord(client: ClientID(rawValue: "client"), lastUsedAt: .start))
    }
    let version = try await observer.read { (snapshot) throws(StoreError) in try snapshot.configurationVersion() }
    try expect(version, is: last, "accounts and leases must not change the version")
  }

  private static func listsKeys(_ harness: Harness) async throws {
    let store = try await harness.open()
    var retired = SigningKeyRecord.example("old", createdAt: .start - .seconds(9))
    (retired.retiredAt, retired.removedAt) = (.start, .start + .seconds(1))
    try await store.write { [retired] (tx) throws(StoreError) in
      try tx.insert(SigningKeyRecord.example("new", createdAt: .start + .seconds(9)))
      try tx.insert(retired)
      try tx.insert(SigningKeyRecord.example("middle"))
    }
    let keys = try await store.read { (snapshot) throws(StoreError) in try snapshot.signingKeys() }
    try expect(keys.map(\.id), is: ["old", "middle", "new"], "keys in the order of their age")
    try expect(keys.first, is: retired, "the first key")
    try await expectError(.conflict, "a key with the same identifier") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(SigningKeyRecord.example("old")) }
    }
  }

  private static func retiresKeys(_ harness: Harness) async throws {
    let store = try await harness.open()
    let times = try await store.write { (tx) throws(StoreError) in
      try tx.insert(SigningKeyRecord.example())
      var times: [[Timestamp?]] = []
      // Seconds after `start`.
      for (retired, removed) in [(10, 20), (11, 21), (9, 19), (8, 30)] as [(Int64, Int64)] {
        try check(
          tx.retireSigningKey("key", at: .start + .seconds(retired), removedAt: .start + .seconds(removed), tx.recordExample()),
          "retiring a key must return true")
        times.append(try tx.signingKeys().flatMap { [$0.retiredAt, $0.removedAt] })
      }
      try check(
        !tx.retireSigningKey("other", at: .start, removedAt: .start, tx.recordExample()),
        "retiring an unknown key must return false")
      return times
    }
    // An earlier time replaces the stored time, and a later one does not.
    let expected = [(10, 20), (10, 20), (9, 19), (8, 19)] as [(Int64, Int64)]
    try expect(
      times, is: expected.map { [.start + .seconds($0), .start + .seconds($1)] }, "when the key is retired and when it is removed"
    )
  }
}
