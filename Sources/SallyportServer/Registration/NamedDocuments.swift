import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Fetches what a client has named in its registration: the list of its redirect URIs, a request that it keeps at an address of its own.
///
/// A stranger may have named it, so all of it is bounded: `https` on public addresses, no redirect, a few kilobytes, seconds, and so
/// many in a minute: of request objects for each client, of lists for all together.
struct NamedDocuments: Sendable {
  let store: any Store
  /// Nil where nothing is fetched.
  let transport: (any Transport)?
  let now: TimeSource

  /// The same by another way.
  func fetched(by transport: (any Transport)?) -> NamedDocuments {
    NamedDocuments(store: self.store, transport: transport, now: self.now)
  }

  var areFetched: Bool { self.transport != nil }

  private static var limits: TransferLimits { TransferLimits(maximumBodySize: 32 << 10, timeout: .seconds(5)) }

  /// Whether an address may be registered, so that this server opens it.
  static func mayBeNamed(_ url: String) -> Bool {
    guard let endpoint = try? EndpointURL(url) else { return false }
    return endpoint.components.scheme == "https" && AddressPolicy.isOpen(endpoint)
  }

  /// - Parameters:
  ///   - mark: under what the fetch is counted.
  ///   - limit: how many there may be in a minute.
  func fetch(_ url: String, mark: Fingerprint, limit: Int) async throws(StoreError) -> NamedDocument {
    guard let transport, Self.mayBeNamed(url), let endpoint = try? EndpointURL(url) else { return .missing }
    let now = self.now()
    let isWithin = try await self.store.write { (tx) throws(StoreError) in
      try tx.countAttempt(mark, window: RequestQuota.window, at: now) <= limit
    }
    guard isWithin else { return .overBudget }
    guard let answer = try? await transport.send(.get(endpoint), body: [], limits: Self.limits),
      answer.head.status == .ok, answer.body.count <= Self.limits.maximumBodySize
    else { return .missing }
    return .body(answer.body)
  }
}

/// What is found at an address that a client has named.
enum NamedDocument: Sendable {
  case body([UInt8])
  /// There is none now.
  case missing
  /// Too many were fetched in this minute.
  case overBudget
}
