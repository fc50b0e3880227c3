public import SallyportProtocol
public import SallyportServer

/// A store that times and traces the writes to the store that it wraps, and counts that store's errors. The removal of
/// expired data is not timed.
public struct MeasuredStore: Store {
  private let base: any Store
  private let metrics: ServerMetrics
  private let tracing: ServerTracing

  public init(_ base: any Store, metrics: ServerMetrics, tracing: ServerTracing = .bootstrapped()) {
    self.base = base
    self.metrics = metrics
    self.tracing = tracing
  }

  public func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let started = ContinuousClock.now
    defer { self.metrics.writeEnded(after: started.duration(to: .now)) }
    do throws(StoreError) {
      return try await self.tracing.span("store write") { () throws(StoreError) in try await self.base.write(body) }
    } catch {
      self.count(error, .write)
      throw error
    }
  }

  public func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    do throws(StoreError) { return try await self.base.read(body) } catch {
      self.count(error, .read)
      throw error
    }
  }

  public func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    do throws(StoreError) { return try await self.base.removeExpired(before: now, limit: limit) } catch {
      self.count(error, .write)
      throw error
    }
  }

  public var watchedConfigurationVersion: Int64? { self.base.watchedConfigurationVersion }
  public var grantOrder: GrantOrder { self.base.grantOrder }

  /// Counts a storage error, but not a conflict or a rolled-back transaction, which are ordinary results.
  private func count(_ error: StoreError, _ operation: ServerMetrics.StoreOperation) {
    switch error {
    case .unavailable, .outcomeUnknown, .unusable: self.metrics.storeFailed(operation)
    case .conflict, .rolledBack: break
    }
  }
}
