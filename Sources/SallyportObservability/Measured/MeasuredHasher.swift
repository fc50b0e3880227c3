public import SallyportProtocol
public import SallyportServer

/// A password hasher that times and traces how the hasher that it wraps hashes and checks passwords, including the wait
/// for a thread.
public struct MeasuredHasher: PasswordHasher {
  private let base: any PasswordHasher
  private let metrics: ServerMetrics
  private let tracing: ServerTracing

  public init(_ base: any PasswordHasher, metrics: ServerMetrics, tracing: ServerTracing = .bootstrapped()) {
    self.base = base
    self.metrics = metrics
    self.tracing = tracing
  }

  public func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String {
    try await self.measured { () throws(PasswordHasherError) in try await self.base.hash(password) }
  }

  public func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool {
    try await self.measured { () throws(PasswordHasherError) in try await self.base.verify(password, against: hash) }
  }

  public func needsRehash(_ hash: String) -> Bool { self.base.needsRehash(hash) }

  /// Failures are not timed, because most of them occur before the password is hashed.
  private func measured<R>(_ body: () async throws(PasswordHasherError) -> R) async throws(PasswordHasherError) -> R {
    let started = ContinuousClock.now
    let result = try await self.tracing.span("password hashing", body)
    self.metrics.passwordChecked(in: started.duration(to: .now))
    return result
  }
}
