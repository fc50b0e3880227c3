import SallyportArgon2
import SallyportProtocol
import SallyportServer

/// How many password hashes the server's hasher can verify per second (Argon2id).
enum PasswordRate {
  static func measure(threads: Int) async throws -> Double {
    let hasher = Argon2PasswordHasher(threads: threads)
    let password = Secret("correct horse battery staple")
    let hash = try await hasher.hash(password)
    return try await rate(tasks: threads) { _ = try await hasher.verify(password, against: hash) }
  }
}
