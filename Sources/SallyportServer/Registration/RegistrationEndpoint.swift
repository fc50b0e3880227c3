#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// The client registration endpoint (RFC 7591 §3) and the client configuration endpoint (RFC 7592 §2).
///
/// Each installation of a native app can register itself. With its own secret or key, it is a confidential client (RFC
/// 8252 §8.4, rule S-13). With the authentication method `none`, it is a public client and gets no secret (rule S-34).
package struct RegistrationEndpoint: Sendable {
  let store: any Store
  let cache: ConfigurationCache
  let documents: ClientLinkedDocuments
  let configuration: ServerConfiguration
  let quota: SharedQuota
  let rejections: AuditRejections
  let now: TimeSource

  /// The maximum number of updates of one client per minute.
  private static var updatesPerMinute: Int { 10 }

  private var policy: RegistrationPolicy { self.configuration.registration }

  /// Registers a client (RFC 7591 §3.1).
  /// - Parameters:
  ///   - token: The bearer token of the `Authorization` header: the initial access token, if the operator requires one.
  ///   - address: The client address of the request. Without an initial access token, each address has a limited share
  ///     of the quota.
  package func register(
    _ body: [UInt8], token: String?, origin: AuditOrigin, from address: ClientAddress
  ) async throws(RegistrationError) -> RegistrationResponse {
    try await self.recordingRejections(from: origin) { () throws(RegistrationError) in
      try await self.registerClient(body, self.initialToken(token), from: address, origin)
    }
  }

  private func registerClient(
    _ body: [UInt8], _ initialToken: Fingerprint?, from address: ClientAddress, _ origin: AuditOrigin
  ) async throws(RegistrationError) -> RegistrationResponse {
    let metadata = try Self.metadata(body)
    let now = self.now()
    let id = ClientID(rawValue: "client-" + RandomText.base64URL(bits: 128))
    var record = try self.record(metadata, id, at: now)
    try await self.checkSector(record, for: address)
    let secret = record.authenticationMethod.usesSecret ? Secret(RandomText.base64URL(bits: 256)) : nil
    record.secretFingerprint = secret.map(Fingerprint.init(of:))
    let registrationToken = OpaqueToken.random(.registration)
    record.registrationToken = registrationToken.fingerprint
    // A request with invalid metadata was rejected above, so it uses up neither the token nor the quota.
    try await self.insert(record, try self.permission(initialToken, address), from: origin, at: now)

    var response = self.response(record, token: registrationToken.text)
    response.clientSecret = secret
    // 0 means that the secret does not expire (RFC 7591 §3.2.1).
    response.clientSecretExpiresAt = secret == nil ? nil : 0
    return response
  }

  /// Returns a client's registration (RFC 7592 §2.1).
  /// - Parameter token: The client's registration access token, as presented in the `Authorization` header.
  package func read(
    _ id: ClientID, token: String?, from origin: AuditOrigin
  ) async throws(RegistrationError) -> RegistrationResponse {
    let (record, token) = try await self.authenticatedClient(id, token, from: origin)
    return self.response(record, token: token)
  }

  /// Replaces a client's registration (RFC 7592 §2.2). The response contains a secret only if the client needs one and
  /// had none before.
  /// - Parameter token: The client's registration access token, as presented in the `Authorization` header.
  package func update(
    _ id: ClientID, _ body: [UInt8], token: String?, origin: AuditOrigin, from address: ClientAddress
  ) async throws(RegistrationError) -> RegistrationResponse {
    let (old, token) = try await self.authenticatedClient(id, token, from: origin)
    try await self.checkUpdateQuota(id)
    let metadata = try Self.metadata(body)
    try Self.checkUnchanged(body, old)
    var record = try self.record(metadata, id, at: old.createdAt)
    try await self.checkSector(record, for: address)
    record.registrationToken = old.registrationToken
    var secret: Secret<String>?
    if record.authenticationMethod.usesSecret {
      secret = old.secretFingerprint == nil ? Secret(RandomText.base64URL(bits: 256)) : nil
      record.secretFingerprint = secret.map(Fingerprint.init(of:)) ?? old.secretFingerprint
    }
    let (updated, now) = (record, self.now())
    let isKnown: Bool
    do {
      isKnown = try await self.store.write { (tx) throws(StoreError) in
        try tx.change(updated, .clientItself, from: origin, at: now)
      }
    } catch { throw .storage(error) }
    guard isKnown else { throw .tokenInvalid }
    self.cache.invalidate()
    var response = self.response(record, token: token)
    response.clientSecret = secret
    response.clientSecretExpiresAt = secret == nil ? nil : 0
    return response
  }

  /// Removes a client and its grants (RFC 7592 §2.3).
  /// - Parameter token: The client's registration access token, as presented in the `Authorization` header.
  package func delete(_ id: ClientID, token: String?, from origin: AuditOrigin) async throws(RegistrationError) {
    let (record, _) = try await self.authenticatedClient(id, token, from: origin)
    let now = self.now()
    do {
      _ = try await self.store.write { (tx) throws(StoreError) in
        try tx.remove(record.id, .clientItself, from: origin, at: now)
      }
    } catch {
      throw .storage(error)
    }
    self.cache.invalidate()
  }

  /// Runs `body`. If `body` throws ``RegistrationError/tokenInvalid``, records the request in the audit trail.
  private func recordingRejections<R>(
    from origin: AuditOrigin, _ body: () async throws(RegistrationError) -> R
  ) async throws(RegistrationError) -> R {
    do { return try await body() } catch {
      if error == .tokenInvalid { self.rejections.note(.registrationRejected, .wrongToken, from: origin) }
      throw error
    }
  }

  // MARK: Checks

  /// RFC 7591 §3: returns the fingerprint of the initial access token, if the operator requires one.
  private func initialToken(_ token: String?) throws(RegistrationError) -> Fingerprint? {
    guard self.policy.mode == .token else { return nil }
    guard let token else { throw .tokenMissing }
    guard let token = OpaqueToken(.initialAccess, token) else { throw .tokenInvalid }
    return token.fingerprint
  }

  private static func metadata(_ body: [UInt8]) throws(RegistrationError) -> ClientMetadata {
    do { return try JSONDecoder().decode(ClientMetadata.self, from: Data(body)) } catch {
      throw RegistrationError(unreadable: error)
    }
  }

  /// Returns the client that the metadata describes. Omits the URLs of request objects if the server has no transport
  /// to fetch them.
  private func record(
    _ metadata: ClientMetadata, _ id: ClientID, at time: Timestamp
  ) throws(RegistrationError) -> ClientRecord {
    var record: ClientRecord
    do { record = try ClientRecordBuilder.record(metadata, id: id, origin: .dynamic, policy: self.policy, at: time) } catch {
      throw .metadata(error)
    }
    if self.documents.budgetedTransport == nil { record.details.requestURIs = nil }
    return record
  }

  /// Checks the members that an update must repeat unchanged or must not contain (RFC 7592 §2.2).
  private static func checkUnchanged(_ body: [UInt8], _ record: ClientRecord) throws(RegistrationError) {
    // These members of a registration response are not client metadata, so `ClientMetadata` does not contain them.
    let repeated = (try? JSONDecoder().decode(RegistrationResponseJSON.self, from: Data(body)))?.response
    guard let repeated, repeated.clientID.utf8.elementsEqual(record.id.rawValue.utf8) else {
      throw .memberMismatch("client_id")
    }
    if let secret = repeated.clientSecret {
      guard let expected = record.secretFingerprint, constantTimeEqual(Fingerprint(of: secret).bytes, expected.bytes) else {
        throw .memberMismatch("client_secret")
      }
    }
    guard repeated.registrationAccessToken == nil else { throw .memberMismatch("registration_access_token") }
    guard repeated.registrationClientURI == nil else { throw .memberMismatch("registration_client_uri") }
    guard repeated.clientIDIssuedAt == nil else { throw .memberMismatch("client_id_issued_at") }
    guard repeated.clientSecretExpiresAt == nil else { throw .memberMismatch("client_secret_expires_at") }
  }

  /// Returns the client and its registration access token. The error does not reveal which of the two is wrong (RFC
  /// 7592 §2.1).
  private func authenticatedClient(
    _ id: ClientID, _ token: String?, from origin: AuditOrigin
  ) async throws(RegistrationError) -> (ClientRecord, Secret<String>) {
    try await self.recordingRejections(from: origin) { () throws(RegistrationError) in
      try await self.authenticatedClient(id, token)
    }
  }

  private func authenticatedClient(
    _ id: ClientID, _ token: String?
  ) async throws(RegistrationError) -> (ClientRecord, Secret<String>) {
    guard let token else { throw .tokenMissing }
    guard let token = OpaqueToken(.registration, token), id.isWellFormed else { throw .tokenInvalid }
    let record: ClientRecord?
    do {
      record = try await self.store.read { (tx) throws(StoreError) in try tx.client(id) }
    } catch {
      throw .storage(error)
    }
    guard let record, record.origin == .dynamic, let expected = record.registrationToken,
      constantTimeEqual(token.fingerprint.bytes, expected.bytes)
    else { throw .tokenInvalid }
    return (record, token.text)
  }

  /// OpenID Connect Registration §5: the list at `sector_identifier_uri` must contain every redirect URI. The list has
  /// no other effect, because `sub` is the same for all clients.
  private func checkSector(_ record: ClientRecord, for address: ClientAddress) async throws(RegistrationError) {
    // Without a transport, the server cannot fetch the list, so `sector_identifier_uri` is not supported.
    guard let transport = self.documents.budgetedTransport else { return try Self.checkNoSector(record) }
    guard let uri = record.details.sectorIdentifierURI else { return }
    do { _ = try ClientRecordBuilder.checkedRemoteURL(uri, "sector_identifier_uri") } catch { throw .metadata(error) }
    var body: [UInt8]?
    if let url = ClientLinkedDocuments.openable(uri) {
      // Without a free slot of the budget, the list is not fetched, so do not report the list as invalid.
      guard let reservedTransport = transport.reserve(url, address: address) else {
        throw .quota
      }
      body = await ClientLinkedDocuments.fetch(url, over: reservedTransport)
    }
    let listedURIs = body.flatMap { try? JSONDecoder().decode([String].self, from: Data($0)) } ?? []
    guard record.redirectURIs.allSatisfy({ listedURIs.contains($0.value) }) else {
      throw .sector
    }
  }

  private static func checkNoSector(_ record: ClientRecord) throws(RegistrationError) {
    guard record.details.sectorIdentifierURI == nil else {
      throw .metadata(.notSupported("sector_identifier_uri", []))
    }
  }

  /// Limits the updates of a client, because each one writes to the store and can make the server fetch a URL.
  private func checkUpdateQuota(_ id: ClientID) async throws(RegistrationError) {
    let (limit, now) = (LimitedOperation.registrationUpdates(of: id).limit(Self.updatesPerMinute), self.now())
    let isCounted: Bool
    do {
      isCounted = try await self.store.write { (tx) throws(StoreError) in try limit.countUnlessReached(in: &tx, at: now) }
    } catch {
      throw .storage(error)
    }
    guard isCounted else { throw .quota }
  }

  // MARK: Storing the client

  private enum Insertion { case done, quota, tokenInvalid }

  /// What permits a registration: one use of an initial access token, or one use of the quota. The registration
  /// consumes this use.
  private enum Permission {
    case token(Fingerprint)
    case share(SharedQuota.Admission)
  }

  private func permission(
    _ initialToken: Fingerprint?, _ address: ClientAddress
  ) throws(RegistrationError) -> Permission {
    if let initialToken { return .token(initialToken) }
    guard let admission = self.quota.admit(.anonymous(address), to: .registrations) else {
      throw .quota
    }
    return .share(admission)
  }

  /// Consumes the permission and stores the client, in one transaction.
  private func insert(
    _ record: ClientRecord, _ permission: Permission, from origin: AuditOrigin, at now: Timestamp
  ) async throws(RegistrationError) {
    let policy = self.policy
    let lease = ClientLeaseRecord(client: record.id, lastUsedAt: now, expiresAt: now + policy.unusedLifetime)
    let outcome: Insertion
    do {
      outcome = try await self.store.write { (tx) throws(StoreError) -> Insertion in
        var (reason, label) = (AuditReason.clientItself, String?.none)
        switch permission {
        case .token(let token):
          let record = try tx.initialAccessTokens().first { $0.fingerprint == token }
          guard let record, record.remainingUses > 0, now < record.expiresAt else { return .tokenInvalid }
          (reason, label) = (.initialAccessToken, record.label)
        case .share(let admission):
          guard try admission.countUnlessReached(in: &tx, at: now) else { return .quota }
        }
        guard try tx.makeRoom(for: record.origin, within: policy.maximumClients, at: now) else { return .quota }
        // If there is no room, the transaction still commits, because `makeRoom` can have removed clients. Therefore,
        // count the use of the token only now.
        if case .token(let token) = permission {
          guard try tx.useInitialAccessToken(token, at: now) else { return .tokenInvalid }
        }
        try tx.add(record, reason, subject: label, from: origin, at: now)
        try tx.put(lease)
        return .done
      }
    } catch {
      throw .storage(error)
    }
    switch outcome {
    case .done: break
    case .quota: throw .quota
    case .tokenInvalid: throw .tokenInvalid
    }
  }

  private func response(_ record: ClientRecord, token: Secret<String>) -> RegistrationResponse {
    var response = RegistrationResponse(clientID: record.id.rawValue, metadata: record.registeredMetadata)
    response.clientIDIssuedAt = record.createdAt.seconds
    response.registrationAccessToken = token
    response.registrationClientURI = self.configuration.issuer.url(
      appending: "\(EndpointPath.registration)/\(record.id.rawValue)")
    return response
  }
}
