#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// The pending sign-ins of a client at an issuer, kept in the store so that they survive the process.
///
/// Each sign-in receives its response once, in any process of the app. After a sign-in has ended, its outcome is kept
/// for up to one day, so that a late response gets an accurate error.
struct PendingSignIns: Sendable {
  let store: any TokenStore
  let issuer: Issuer
  let clientID: String
  let now: TimeSource

  /// How a sign-in ended.
  enum End: String, Codable, Sendable {
    /// The raw value is the earlier name of this case, which stored lists contain.
    case responded = "answered"
    case cancelled, expired

    /// The error for a response that arrives after the sign-in has ended.
    var error: SignInError {
      switch self {
      case .responded: .response(.alreadyReceived)
      case .cancelled: .cancelled
      case .expired: .timedOut
      }
    }
  }

  /// The status of a sign-in.
  enum Status: Sendable {
    case waiting(PendingSignIn)
    case ended(End)
    case unknown
  }

  /// The status of the sign-in that sent this `state` parameter.
  func status(of state: Secret<String>) async throws(TokenStoreError) -> Status {
    try await self.load().status(of: PendingSignIn.id(state: state), self)
  }

  /// The pending sign-ins, latest expiration first.
  func waiting() async throws(TokenStoreError) -> [PendingSignIn] {
    try await self.load().waiting.values.compactMap { try? PendingSignIn($0, issuer: self.issuer, clientID: self.clientID) }
      .sorted { $0.expiresAt > $1.expiresAt }
  }

  func add(_ pending: PendingSignIn) async throws {
    try await self.change { list in
      list.waiting[pending.id] = PendingRecord(pending)
      // Drop the sign-ins that expire first, so that abandoned sign-ins don't fill the store.
      let earliestFirst = list.waiting.sorted { $0.value.expiresAt < $1.value.expiresAt }
      for (id, _) in earliestFirst.dropLast(Self.maximumWaiting) { list.waiting[id] = nil }
    }
  }

  /// Ends a sign-in. If several processes try at the same time, only one succeeds.
  ///
  /// An expired sign-in can still end with a response: the process that has received the response in time must be able
  /// to use it, even if the clock was set forward in the meantime.
  /// - Returns: How the sign-in had already ended, or `nil` if it had not.
  @discardableResult
  func end(_ pending: PendingSignIn, as end: End) async throws -> End? {
    try await self.change { list in
      if let earlier = list.ended[pending.id]?.end, (earlier, end) != (.expired, .responded) { return earlier }
      list.waiting[pending.id] = nil
      list.ended[pending.id] = EndedSignIn(end: end, at: self.now().milliseconds)
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
        throw TokenStoreError.failed(reason: "the pending sign-ins could not be encoded as JSON: \(type(of: error))")
      }
      return result
    }
  }

  /// Loads the list, with the outcome `expired` for sign-ins that have expired. An unreadable list counts as empty: at
  /// worst, a user must sign in again.
  private func load() async throws(TokenStoreError) -> List {
    let stored = try await self.store.loadUndamaged(self.key)
    var list = stored.flatMap { try? JSONDecoder().decode(List.self, from: Data($0.reveal())) } ?? List()
    list.sweep(at: self.now())
    return list
  }

  private var key: TokenStoreKey { TokenStoreKey(kind: "pending", issuer: self.issuer.value, clientID: self.clientID) }

  private struct EndedSignIn: Codable {
    var end: End
    /// When the sign-in ended, in milliseconds since 1970.
    var at: Int64
  }

  private struct List: Codable {
    var waiting: [String: PendingRecord] = [:]
    var ended: [String: EndedSignIn] = [:]

    private enum CodingKeys: String, CodingKey {
      case waiting
      // The earlier name of `ended`, which stored lists contain.
      case ended = "over"
    }

    /// Replaces expired sign-ins with their outcome. Removes outcomes that are older than one day, and the oldest ones
    /// if there are more than ``maximumEnded``.
    mutating func sweep(at now: Timestamp) {
      for (id, record) in self.waiting where record.expiresAt <= now.milliseconds {
        self.waiting[id] = nil
        self.ended[id] = EndedSignIn(end: .expired, at: record.expiresAt)
      }
      let limit = (now + .seconds(-86_400)).milliseconds
      self.ended = self.ended.filter { limit < $0.value.at }
      for (id, _) in self.ended.sorted(by: { $0.value.at < $1.value.at }).dropLast(PendingSignIns.maximumEnded) {
        self.ended[id] = nil
      }
    }

    func status(of id: String, _ signIns: PendingSignIns) -> Status {
      if let ended = self.ended[id] { return .ended(ended.end) }
      guard let record = self.waiting[id],
        let pending = try? PendingSignIn(record, issuer: signIns.issuer, clientID: signIns.clientID)
      else { return .unknown }
      return .waiting(pending)
    }
  }

  /// The maximum number of pending sign-ins that are kept.
  private static let maximumWaiting = 16
  /// The maximum number of outcomes that are kept.
  private static let maximumEnded = 64
}
