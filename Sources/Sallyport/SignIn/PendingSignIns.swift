#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// The sign-ins of an issuer and a client that wait for their answers: kept in the store, so that they outlive the process.
///
/// Each is answered once, whichever process gets the answer; of one that is over only its end is kept, for a day, so that a late
/// answer is told the truth.
struct PendingSignIns: Sendable {
  let store: any TokenStore
  let issuer: Issuer
  let clientID: String
  let now: TimeSource

  /// How a sign-in ended.
  enum End: String, Codable, Sendable {
    case answered, cancelled, expired
  }

  enum State: Sendable {
    case waiting(PendingSignIn)
    case over(End)
    case unknown
  }

  /// What is known of the request that sent this state.
  func state(of state: Secret<String>) async throws(TokenStoreError) -> State {
    try await self.load().state(of: PendingSignIn.id(state: state), self)
  }

  /// The sign-ins that wait, the newest first.
  func waiting() async throws(TokenStoreError) -> [PendingSignIn] {
    try await self.load().waiting.values.compactMap { try? PendingSignIn($0, issuer: self.issuer, clientID: self.clientID) }
      .sorted { $0.expiresAt > $1.expiresAt }
  }

  func add(_ pending: PendingSignIn) async throws {
    try await self.change { list in
      list.waiting[pending.id] = PendingRecord(pending)
      // Sign-ins that nobody finishes must not fill the store.
      let oldest = list.waiting.sorted { $0.value.expiresAt < $1.value.expiresAt }
      for (id, _) in oldest.dropLast(Self.most) { list.waiting[id] = nil }
    }
  }

  /// Ends a sign-in. Of all who try at the same time, in any process, one is told that it was the one.
  /// - Returns: how it had ended before; nil where it had not.
  @discardableResult
  func end(_ pending: PendingSignIn, as end: End) async throws -> End? {
    try await self.change { list in
      if let earlier = list.over[pending.id] { return earlier.end }
      list.waiting[pending.id] = nil
      list.over[pending.id] = Over(end: end, at: self.now().milliseconds)
      return nil
    }
  }

  private func change<R: Sendable>(_ body: @Sendable (inout List) -> R) async throws -> R {
    try await self.store.withLease(on: self.key) {
      var list = try await self.load()
      let result = body(&list)
      do {
        try await self.store.save(Secret(Array(try JSONEncoder().encode(list))), for: self.key)
      } catch let error as EncodingError {
        throw TokenStoreError.failed(reason: "the sign-in could not be encoded: \(type(of: error))")
      }
      return result
    }
  }

  /// The list, swept. One that cannot be read counts as empty: the worst that comes of it is that somebody signs in again.
  private func load() async throws(TokenStoreError) -> List {
    let stored: Secret<[UInt8]>?
    do {
      stored = try await self.store.load(self.key)
    } catch .damaged {
      stored = nil
    }
    var list = stored.flatMap { try? JSONDecoder().decode(List.self, from: Data($0.reveal())) } ?? List()
    list.sweep(at: self.now())
    return list
  }

  private var key: TokenStoreKey { TokenStoreKey(kind: "pending", issuer: self.issuer.value, clientID: self.clientID) }

  private struct Over: Codable {
    var end: End
    /// Milliseconds since 1970.
    var at: Int64
  }

  private struct List: Codable {
    var waiting: [String: PendingRecord] = [:]
    var over: [String: Over] = [:]

    /// What has expired keeps nothing but its end, and that not for ever.
    mutating func sweep(at now: Timestamp) {
      for (id, record) in self.waiting where record.expiresAt <= now.milliseconds {
        self.waiting[id] = nil
        self.over[id] = Over(end: .expired, at: record.expiresAt)
      }
      let limit = (now + .seconds(-86_400)).milliseconds
      self.over = self.over.filter { limit < $0.value.at }
      for (id, _) in self.over.sorted(by: { $0.value.at < $1.value.at }).dropLast(PendingSignIns.mostEnds) {
        self.over[id] = nil
      }
    }

    func state(of id: String, _ signIns: PendingSignIns) -> State {
      if let over = self.over[id] { return .over(over.end) }
      guard let record = self.waiting[id],
        let pending = try? PendingSignIn(record, issuer: signIns.issuer, clientID: signIns.clientID)
      else { return .unknown }
      return .waiting(pending)
    }
  }

  private static let most = 16
  private static let mostEnds = 64
}
