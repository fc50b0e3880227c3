import SallyportArgon2
import SallyportProtocol
import SallyportServer

/// Argon2id verifications per second.
enum PasswordRate {
  static func measure(threads: Int) async throws -> Double {
    let hasher = Argon2PasswordHasher(threads: threads)
    let password = Secret("correct horse battery staple")
    let hash = try await hasher.hash(password)
    return try await rate(tasks: threads) { _ = try await hasher.verify(password, against: hash) }
  }
}
