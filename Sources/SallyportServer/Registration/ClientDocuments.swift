#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Finds clients for the authorization endpoint and for those where they authenticate, those included whose identifier is the URL
/// of their metadata document (OAuth Client ID Metadata Document §4).
///
/// A stranger's request makes the server fetch something, so all of it is bounded: `https` on public addresses, no redirect, a few
/// kilobytes, seconds, one fetch of a document at a time, a ``FetchBudget`` for all endpoints, and a failed one not again at once.
///
/// While its document cannot be had, a client stays for a day as it was last known. One whose document was withdrawn is refused at
/// once wherever it comes, until it is published again. What people granted to it stays, unusable: a web server that answers
/// wrongly for an hour does not sign everybody out for good.
package actor ClientDocuments {
  private let store: any Store
  private let cache: ConfigurationCache
  private let policy: RegistrationPolicy
  /// For documents on the public internet; nil if no documents are accepted.
  private let publicTransport: BudgetedTransport?
  /// For documents on ``RegistrationPolicy/documentHosts``.
  private let intranetTransport: BudgetedTransport?
  private let now: TimeSource

  private var running: [ClientID: Task<ClientRecord?, Never>] = [:]
  private var failed: [ClientID: Timestamp] = [:]

  init(
    store: any Store, cache: ConfigurationCache, policy: RegistrationPolicy, transports: OutboundTransports,
    now: @escaping TimeSource
  ) {
    self.store = store
    self.cache = cache
    self.policy = policy
    let budgeted: ((any Transport)?) -> BudgetedTransport? = { transport in
      policy.acceptsDocuments ? transport.map { BudgetedTransport($0, perMinute: policy.perMinute, now: now) } : nil
    }
    self.publicTransport = budgeted(transports.strangers)
    self.intranetTransport = budgeted(transports.operators)
    self.now = now
  }

  /// The client with this identifier; nil if there is none, or its document cannot be used.
  /// - Parameter asker: where the request that names the client comes from.
  package nonisolated func client(_ id: ClientID, for asker: ClientAddress) async throws(StoreError) -> ClientRecord? {
    let known = try await self.cache.client(id)
    guard let url = ClientIDDocumentURL(id.rawValue) else { return known }
    guard let known else { return await self.fetched(url, id, instead: nil, for: asker) }
    // One that an operator has registered under such a name stays what the operator said.
    guard known.origin == .document else { return known }
    if let expiry = known.details.documentExpiresAt, self.now() < expiry { return known }
    let hasGrant = try await self.store.read { (tx) throws(StoreError) in try tx.hasObtainedGrant(known) }
    return await self.fetched(url, id, instead: known, for: asker, hasGrant: hasGrant)
  }

  /// Joins the fetch of this document that is under way, or starts one.
  private func fetched(
    _ url: ClientIDDocumentURL, _ id: ClientID, instead known: ClientRecord?, for asker: ClientAddress, hasGrant: Bool = false
  ) async -> ClientRecord? {
    guard let transport = self.transport(to: url) else { return nil }
    if let task = self.running[id] { return await task.value }
    if let failure = self.failed[id], (.zero..<DocumentLimits.retry).contains(self.now() - failure) {
      return known?.stale(at: self.now())
    }
    // Before others can join, who may have a place of their own.
    guard let reserved = transport.reserve(url.url, client: id, asker: asker, hasGrant: hasGrant) else {
      return known?.stale(at: self.now())
    }
    let task = Task { await self.fetch(url, id, instead: known, over: reserved) }
    self.running[id] = task
    return await task.value
  }

  /// The transport for a document; nil if no documents are accepted, or this one is at an address that is not opened.
  private func transport(to url: ClientIDDocumentURL) -> BudgetedTransport? {
    if self.policy.documentHosts.contains(url.host) { return self.intranetTransport }
    return AddressPolicy.isOpen(url.url) ? self.publicTransport : nil
  }

  private func fetch(
    _ url: ClientIDDocumentURL, _ id: ClientID, instead known: ClientRecord?, over transport: any Transport
  ) async -> ClientRecord? {
    defer { self.running[id] = nil }
    do {
      let answer = try await ClientDocument.fetch(url, over: transport)
      let record = try answer.record(url, policy: self.policy, at: self.now())
      guard try await self.save(record) else { return nil }
      self.cache.invalidate()
      return record
    } catch ClientDocumentError.invalid {
      // The publisher has taken it back, or changed it into something that is none.
      self.remember(failure: id)
      if let known { await self.withdraw(known) }
      return nil
    } catch {
      self.remember(failure: id)
      return known?.stale(at: self.now())
    }
  }

  private func remember(failure id: ClientID) {
    if self.failed.count >= DocumentLimits.rememberedFailures { self.failed = [:] }
    self.failed[id] = self.now()
  }

  /// Takes from the client the time until which its document counts, for every process and beyond a restart.
  private func withdraw(_ known: ClientRecord) async {
    guard known.details.documentExpiresAt != nil else { return }
    let now = self.now()
    try? await self.store.write { (tx) throws(StoreError) in
      // Another process may have fetched it anew.
      guard var there = try tx.client(known.id), there.details.documentFetchedAt == known.details.documentFetchedAt else {
        return
      }
      there.details.documentExpiresAt = nil
      _ = try tx.change(there, .documentWithdrawn, from: .server, at: now)
    }
    self.cache.invalidate()
  }

  private func save(_ record: ClientRecord) async throws(StoreError) -> Bool {
    let (now, policy) = (self.now(), self.policy)
    return try await self.store.write { (tx) throws(StoreError) -> Bool in
      var lease = ClientLeaseRecord(client: record.id, lastUsedAt: record.createdAt, expiresAt: now + policy.unusedLifetime)
      if let there = try tx.client(record.id) {
        // Meanwhile an operator may have registered it.
        guard there.origin == .document else { return false }
        // Read anew and found the same is no change.
        _ =
          there.saysTheSame(as: record)
          ? try tx.update(record) : try tx.change(record, .document, from: .server, at: now)
        // Reading a document is no use of the client.
        lease.lastUsedAt = try tx.clientLease(record.id)?.lastUsedAt ?? there.createdAt
      } else {
        guard try tx.makeRoom(for: .document, within: policy.maximumClients, at: now) else { return false }
        try tx.add(record, .document, from: .server, at: now)
      }
      try tx.put(lease)
      return true
    }
  }
}

extension ClientIDDocumentURL {
  /// The host as ``RegistrationPolicy/documentHosts`` has it: in lower case, with a port other than 443.
  fileprivate var host: String {
    let (host, port) = (self.url.components.host ?? "", self.url.components.port ?? 443)
    return (port == 443 ? host : "\(host):\(port)").lowercased()
  }
}

private enum DocumentLimits {
  /// How long a document that could not be used is not asked for again.
  static let retry = Duration.seconds(60)
  static let rememberedFailures = 1000
  /// How long a document that cannot be renewed may still be used.
  static let grace = Duration.seconds(86_400)
}

extension ClientRecord {
  /// Whether this client's document, read at another time, says what that one says.
  fileprivate func saysTheSame(as other: ClientRecord) -> Bool {
    var copy = other
    copy.createdAt = self.createdAt
    copy.details.documentFetchedAt = self.details.documentFetchedAt
    // One that was withdrawn and is there again has changed.
    if self.details.documentExpiresAt != nil { copy.details.documentExpiresAt = self.details.documentExpiresAt }
    return copy == self
  }

  /// This client although its document could not be renewed, for a while; nil once it was withdrawn.
  fileprivate func stale(at now: Timestamp) -> ClientRecord? {
    guard let expiry = self.details.documentExpiresAt, now < expiry + DocumentLimits.grace else { return nil }
    return self
  }
}
