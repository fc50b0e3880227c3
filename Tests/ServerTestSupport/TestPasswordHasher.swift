package import SallyportProtocol
package import SallyportServer
package import TestSupport

/// Fast, and therefore for tests only: the hash is the password with a word before it. A hash of earlier costs has another word.
package struct TestPasswordHasher: PasswordHasher {
  private static let prefix = "$test$"
  private static let earlierPrefix = "$earlier$"
  /// Where a test has closed it, a check of a password waits there.
  package let gate: Gate?
  /// Opened when a check of a password begins.
  package let reached: Gate?
  /// Says that the pool is full.
  package let isOverloaded: Bool

  package init(gate: Gate? = nil, reached: Gate? = nil, isOverloaded: Bool = false) {
    self.gate = gate
    self.reached = reached
    self.isOverloaded = isOverloaded
  }

  package func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String {
    Self.prefix + password.reveal()
  }

  package func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool {
    if self.isOverloaded { throw .overloaded }
    if password.reveal().utf8.count > 1024 { throw .passwordTooLong }
    self.reached?.open()
    await self.gate?.wait()
    return hash == Self.prefix + password.reveal() || hash == Self.earlierHash(password.reveal())
  }

  package func needsRehash(_ hash: String) -> Bool {
    hash.hasPrefix(Self.earlierPrefix)
  }

  /// What a server with other costs has stored.
  package static func earlierHash(_ password: String) -> String {
    self.earlierPrefix + password
  }
}
