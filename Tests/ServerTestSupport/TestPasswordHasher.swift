package import SallyportProtocol
package import SallyportServer
import Synchronization
package import TestSupport

/// A fast hasher for tests: the hash is the password with a prefix. A hash that must be renewed has a different prefix.
package struct TestPasswordHasher: PasswordHasher {
  private static let prefix = "$test$"
  private static let earlierPrefix = "$earlier$"
  /// A gate at which password checks wait until a test opens it; nil to check immediately.
  package let gate: Gate?
  /// Opened when a password check begins.
  package let reached: Gate?
  /// Whether every password check fails with ``PasswordHasherError/overloaded``.
  package let isOverloaded: Bool
  /// Counts the passwords that are hashed or checked; nil to count none.
  package let uses: Uses?

  /// A counter.
  package final class Uses: Sendable {
    private let number = Mutex(0)

    package init() {}

    package var count: Int { self.number.withLock { $0 } }

    fileprivate func add() { self.number.withLock { $0 += 1 } }
  }

  package init(gate: Gate? = nil, reached: Gate? = nil, isOverloaded: Bool = false, uses: Uses? = nil) {
    self.gate = gate
    self.reached = reached
    self.isOverloaded = isOverloaded
    self.uses = uses
  }

  package func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String {
    self.uses?.add()
    return Self.prefix + password.reveal()
  }

  package func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool {
    if self.isOverloaded { throw .overloaded }
    if password.reveal().utf8.count > 1024 { throw .passwordTooLong }
    self.uses?.add()
    self.reached?.open()
    await self.gate?.wait()
    return hash == Self.prefix + password.reveal() || hash == Self.earlierHash(password.reveal())
  }

  package func needsRehash(_ hash: String) -> Bool {
    hash.hasPrefix(Self.earlierPrefix)
  }

  /// A hash that ``needsRehash(_:)`` reports, as if it were made with earlier cost parameters.
  package static func earlierHash(_ password: String) -> String {
    self.earlierPrefix + password
  }
}
