import Crypto
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A cache of tokens with verified signatures, keyed by their hash, because clients send the same token many times.
final class VerifiedTokenCache: Sendable {
  /// The times between which the token is valid, in seconds since 1970.
  struct Validity: Sendable {
    var expiration: Double?
    var notBefore: Double?
    var issuedAt: Double?
  }

  struct Entry: Sendable {
    let token: VerifiedAccessToken
    let issuer: IssuerAccess
    let validity: Validity
    /// The key that verified the signature.
    let key: (id: String?, algorithm: String)
    let checkedAt: Timestamp
  }

  private let entries: Mutex<BoundedCache<SHA256Digest, Entry>>

  init(capacity: Int) {
    self.entries = Mutex(BoundedCache(capacity: capacity))
  }

  subscript(digest: SHA256Digest) -> Entry? {
    get { self.entries.withLock { $0.value(for: digest) } }
    set { self.entries.withLock { entries in newValue.map { entries.insert($0, for: digest) } } }
  }
}
