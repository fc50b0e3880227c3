public import SallyportProtocol
public import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Hashes passwords with Argon2id (RFC 9106) through libargon2, on its own threads.
///
/// A password is normalized to Unicode NFC and encoded as UTF-8, so that the same characters from different keyboards
/// produce the same password. A password has at most 1,024 bytes.
///
/// The number of concurrent hashes, and so their memory, is limited. The queue is limited too: when it is full, a call
/// throws ``PasswordHasherError/overloaded``. A task that is canceled while it waits leaves the queue and receives
/// ``PasswordHasherError/failed(reason:)``. See docs/decisions/0023-argon2-pool.md.
public struct Argon2PasswordHasher: PasswordHasher {
  /// The maximum length of a password in bytes.
  public static let longestPassword = PasswordPolicy.maximumBytes
  private static let saltLength = 16
  private static let tagLength = 32

  private let parameters: Argon2Parameters
  private let pool: HashingPool

  /// Creates a hasher.
  /// - Parameters:
  ///   - parameters: The cost of new hashes. Existing hashes are verified with their own parameters.
  ///   - threads: The number of concurrent hashes. Each uses 19 MiB of memory with the recommended parameters. Nil uses
  ///     half of the processors, so that a burst of sign-ins leaves the other half for other work.
  ///   - waiting: The maximum number of callers that wait for a thread.
  /// - Precondition: The parameters have one to four lanes, one to eight passes, and a memory of at least 8 KiB per
  ///   lane and at most 76 MiB. Hashes with other parameters are not verified.
  public init(parameters: Argon2Parameters = .recommended, threads: Int? = nil, waiting: Int = 64) {
    let threads = threads ?? max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    self.init(parameters: parameters, pool: HashingPool(threads: threads, waiting: waiting))
  }

  init(parameters: Argon2Parameters, pool: HashingPool) {
    precondition(parameters.isAffordable, "hashes with these Argon2 parameters cannot be verified")
    self.parameters = parameters
    self.pool = pool
  }

  /// The number of callers that wait for a thread.
  public var waiting: Int { self.pool.waiting }

  public func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String {
    let bytes = try Self.bytes(of: password)
    let parameters = self.parameters
    return try await self.pool.run { () throws(PasswordHasherError) in
      let salt = RandomText.bytes(count: Self.saltLength)
      return try Argon2Hash(of: bytes.reveal(), parameters, salt: salt, tagLength: Self.tagLength).text
    }
  }

  public func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool {
    let bytes = try Self.bytes(of: password)
    // If there is no account, and so no hash, the password is compared with a decoy. This takes as long as for an
    // account, so the time doesn't show whether the account exists.
    guard let stored = Argon2Hash(hash ?? self.parameters.decoy) else {
      throw .failed(reason: "the stored hash is malformed or not supported")
    }
    let isCorrect = try await self.pool.run { () throws(PasswordHasherError) in try stored.matches(bytes.reveal()) }
    return isCorrect && hash != nil
  }

  public func needsRehash(_ hash: String) -> Bool {
    Argon2Hash(hash)?.parameters != self.parameters
  }

  private static func bytes(of password: Secret<String>) throws(PasswordHasherError) -> Secret<[UInt8]> {
    // Normalization takes time for a long text, and shortens a text by less than a factor of four. A text that would be
    // too long in any case is therefore rejected before it is normalized.
    guard password.reveal().utf8.count <= 4 * self.longestPassword else { throw .passwordTooLong }
    let bytes = Array(password.reveal().normalizedToNFC.utf8)
    guard bytes.count <= self.longestPassword else { throw .passwordTooLong }
    return Secret(bytes)
  }
}
