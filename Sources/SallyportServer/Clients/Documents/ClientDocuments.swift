#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Finds clients, including those whose client ID is the URL of their metadata document (OAuth Client ID Metadata
/// Document §4).
///
/// Anyone can make the server fetch a document, so fetches are limited:
/// - They use `https`, and go only to public addresses and ``RegistrationPolicy/documentHosts``.
/// - They follow no redirects, and are limited in size and time.
/// - They need a slot of a ``FetchBudget`` that all endpoints share. Documents on ``RegistrationPolicy/documentHosts``
///   have a budget of their own.
/// - A document is not fetched twice at the same time, nor soon after a failure.
///
/// If a document cannot be fetched, the server uses the last version for up to a day after it expired. If a fetch shows
/// that the document was withdrawn or is no longer valid, the authorization endpoint and the endpoints that
/// authenticate clients reject the client until a valid document is published again. The client's grants remain in the
/// meantime but cannot be redeemed, so that a temporary error of a web server does not revoke them.
package actor ClientDocuments {
  private let store: any Store
  private let cache: ConfigurationCache
  private let policy: RegistrationPolicy
  /// Fetches documents on the public internet; nil if documents are not accepted or cannot be fetched.
  private let publicTransport: BudgetedTransport?
  /// Fetches documents on the hosts in ``RegistrationPolicy/documentHosts``.
  private let intranetTransport: BudgetedTransport?
  private let now: TimeSource

  private let fetches = SingleFlight<ClientID, ClientRecord?>()
  /// When the last fetch of each client's document failed.
  private var failures = BoundedCache<ClientID, Timestamp>(capacity: DocumentLimits.maximumFailures)

  init(
    store: any Store, cache: ConfigurationCache, policy: RegistrationPolicy, transports: OutboundTransports,
    now: @escaping TimeSource
  ) {
    self.store = store
    self.cache = cache
    self.policy = policy
    let withBudget: ((any Transport)?) -> BudgetedTransport? = { transport in
      policy.acceptsDocuments ? transport.map { BudgetedTransport($0, perMinute: policy.perMinute, now: now) } : nil
    }
    self.publicTransport = withBudget(transports.dynamicClients)
    self.intranetTransport = withBudget(transports.operators)
    self.now = now
  }

  /// Returns the client with this identifier; nil if it does not exist, or its document cannot be used.
  /// - Parameter address: The client address of the request that contains the client ID.
  package nonisolated func client(_ id: ClientID, for address: ClientAddress) async throws(StoreError) -> ClientRecord? {
    let storedClient = try await self.cache.client(id)
    guard let url = ClientIDDocumentURL(id.rawValue) else { return storedClient }
    guard let storedClient else { return await self.fetched(url, id, fallback: nil, for: address) }
    // A client that an operator registered with a URL as its ID does not use a document.
    guard storedClient.origin == .document else { return storedClient }
    if let expiry = storedClient.details.documentExpiresAt, self.now() < expiry { return storedClient }
    let hasGrant = try await self.store.read { (tx) throws(StoreError) in try tx.hasObtainedGrant(storedClient) }
    return await self.fetched(url, id, fallback: storedClient, for: address, hasGrant: hasGrant)
  }

  /// Waits for the current fetch of this document, or starts one.
  /// - Parameters:
  ///   - storedClient: The client in the store, if any. For a limited time, it may still be used if the document cannot
  ///     be fetched.
  ///   - hasGrant: Whether the client has obtained a grant before.
  /// - Returns: The client that the fetched document describes, or `storedClient` if it may still be used; otherwise
  ///   nil.
  private func fetched(
    _ url: ClientIDDocumentURL, _ id: ClientID, fallback storedClient: ClientRecord?, for address: ClientAddress,
    hasGrant: Bool = false
  ) async -> ClientRecord? {
    guard let transport = self.transport(to: url) else { return nil }
    if let task = self.fetches.task(for: id) { return await task.value }
    if let failure = self.failures.value(for: id), (.zero..<DocumentLimits.retry).contains(self.now() - failure) {
      return storedClient?.ifUsableAfterExpiry(at: self.now())
    }
    // Reserve a slot before other callers can wait for this fetch. If this caller's share of the budget is used up,
    // another caller can then still start a fetch with its own share.
    guard let reservedTransport = transport.reserve(url.url, client: id, address: address, hasGrant: hasGrant) else {
      return storedClient?.ifUsableAfterExpiry(at: self.now())
    }
    return await self.fetches.start(id) { await self.fetch(url, id, fallback: storedClient, over: reservedTransport) }.value
  }

  /// Returns the transport for a document; nil if the server does not fetch this document.
  private func transport(to url: ClientIDDocumentURL) -> BudgetedTransport? {
    if self.policy.documentHosts.contains(url.host) { return self.intranetTransport }
    return AddressPolicy.isPublic(url.url) ? self.publicTransport : nil
  }

  private func fetch(
    _ url: ClientIDDocumentURL, _ id: ClientID, fallback storedClient: ClientRecord?, over transport: any Transport
  ) async -> ClientRecord? {
    do {
      let document = try await ClientDocument.fetch(url, over: transport)
      let client = try await self.save(try document.record(url, policy: self.policy, at: self.now()))
      if client != nil { self.cache.invalidate() }
      return client
    } catch ClientDocumentError.invalid {
      // The document was withdrawn, or changed into an invalid one.
      self.failures.insert(self.now(), for: id)
      if let storedClient { await self.withdraw(storedClient) }
      return nil
    } catch {
      self.failures.insert(self.now(), for: id)
      return storedClient?.ifUsableAfterExpiry(at: self.now())
    }
  }

  /// Marks the document as withdrawn in the store, for all processes. A client with a withdrawn document has no
  /// `documentExpiresAt`.
  private func withdraw(_ client: ClientRecord) async {
    guard client.details.documentExpiresAt != nil else { return }
    let now = self.now()
    try? await self.store.write { (tx) throws(StoreError) in
      // Another process may have fetched the document in the meantime.
      guard var stored = try tx.client(client.id), stored.details.documentFetchedAt == client.details.documentFetchedAt else {
        return
      }
      stored.details.documentExpiresAt = nil
      _ = try tx.change(stored, .documentWithdrawn, from: .server, at: now)
    }
    self.cache.invalidate()
  }

  /// Stores a client, and renews its lease, which says how long an unused client is kept.
  /// - Returns: The stored client, which has the creation time of the first version of its document; nil if an operator
  ///   has registered a client with this identifier, or there is no room for a new client.
  private func save(_ record: ClientRecord) async throws(StoreError) -> ClientRecord? {
    let (now, policy) = (self.now(), self.policy)
    return try await self.store.write { (tx) throws(StoreError) in
      var record = record
      var lease = ClientLeaseRecord(client: record.id, lastUsedAt: record.createdAt, expiresAt: now + policy.unusedLifetime)
      if let stored = try tx.client(record.id) {
        // An operator may have registered the client in the meantime.
        guard stored.origin == .document else { return nil }
        record.createdAt = stored.createdAt
        // For an unchanged document, only the times are stored, without an audit record of a change.
        if stored.hasSameContent(as: record) {
          _ = try tx.update(record)
        } else {
          _ = try tx.change(record, .document, from: .server, at: now)
        }
        // Fetching a document does not count as a use of the client.
        lease.lastUsedAt = try tx.clientLease(record.id)?.lastUsedAt ?? stored.createdAt
      } else {
        guard try tx.makeRoom(for: .document, within: policy.maximumClients, at: now) else { return nil }
        try tx.add(record, .document, from: .server, at: now)
      }
      try tx.put(lease)
      return record
    }
  }
}

extension ClientIDDocumentURL {
  /// The host in the form of ``RegistrationPolicy/documentHosts``: lowercase, with the port unless it is 443.
  fileprivate var host: String {
    let (host, port) = (self.url.components.host ?? "", self.url.components.port ?? 443)
    return (port == 443 ? host : "\(host):\(port)").lowercased()
  }
}

private enum DocumentLimits {
  /// How long to wait before fetching a document again after a failure.
  static let retry = Duration.seconds(60)
  /// The maximum number of failures in the cache.
  static let maximumFailures = 2_000
  /// How long an expired document may be used if it cannot be fetched again.
  static let grace = Duration.seconds(86_400)
}

extension ClientRecord {
  /// Whether two versions of the client's document are equal, apart from the times at which they were fetched and
  /// expire.
  fileprivate func hasSameContent(as other: ClientRecord) -> Bool {
    var copy = other
    copy.createdAt = self.createdAt
    copy.details.documentFetchedAt = self.details.documentFetchedAt
    // A document that was withdrawn and is available again counts as changed.
    if self.details.documentExpiresAt != nil { copy.details.documentExpiresAt = self.details.documentExpiresAt }
    return copy == self
  }

  /// Returns this client if its expired document may still be used; nil after the grace period, or if the document was
  /// withdrawn.
  fileprivate func ifUsableAfterExpiry(at now: Timestamp) -> ClientRecord? {
    guard let expiry = self.details.documentExpiresAt, now < expiry + DocumentLimits.grace else { return nil }
    return self
  }
}
