public import SallyportProtocol
public import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Argon2id (RFC 9106) through libargon2, on threads of its own.
///
/// A password is the UTF-8 of its text in Unicode's NFC form, so that the same letters typed on another keyboard are the same
/// password; at most 1,024 bytes. How many hashes are computed at once, and with it how much memory they take, is bounded, and so
/// is the line of those that wait: one more is refused with ``PasswordHasherError/overloaded``. A caller that is cancelled leaves
/// the line and gets ``PasswordHasherError/failed(reason:)``.
public struct Argon2PasswordHasher: PasswordHasher {
  /// In bytes.
  public static let longestPassword = 1_024
  private static let saltLength = 16
  private static let tagLength = 32

  private let parameters: Argon2Parameters
  private let pool: HashingPool

  /// - Parameters:
  ///   - parameters: what a new hash costs; an old one is verified with its own.
  ///   - threads: how many hashes are computed at once, each with 19 MiB of memory at the recommended cost. Nil for half of the
  ///     machine's processors, so that a burst of sign-ins leaves the other half to everything else.
  ///   - waiting: how many callers may wait for a thread.
  public init(parameters: Argon2Parameters = .recommended, threads: Int? = nil, waiting: Int = 64) {
    let threads = threads ?? max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    self.init(parameters: parameters, pool: HashingPool(threads: threads, waiting: waiting))
  }

  init(parameters: Argon2Parameters, pool: HashingPool) {
    self.parameters = parameters
    self.pool = pool
  }

  /// How many callers wait for a thread.
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
    guard let stored = Argon2Hash(hash ?? self.parameters.decoy) else {
      throw .failed(reason: "the stored hash is not one that is accepted")
    }
    let isRight = try await self.pool.run { () throws(PasswordHasherError) in try stored.isOf(bytes.reveal()) }
    return isRight && hash != nil
  }

  public func needsRehash(_ hash: String) -> Bool {
    Argon2Hash(hash)?.parameters != self.parameters
  }

  private static func bytes(of password: Secret<String>) throws(PasswordHasherError) -> Secret<[UInt8]> {
    // Before the text is normalised: a text of n bytes may be shorter afterwards, but it is not free to make it so.
    guard password.reveal().utf8.count <= 4 * self.longestPassword else { throw .passwordTooLong }
    let bytes = password.reveal()._nfcCodeUnits
    guard bytes.count <= self.longestPassword else { throw .passwordTooLong }
    return Secret(bytes)
  }
}
