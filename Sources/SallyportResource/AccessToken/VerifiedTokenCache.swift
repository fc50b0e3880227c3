import Crypto
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Tokens whose signatures were checked, by their hash; a client sends the same one many times.
final class VerifiedTokenCache: Sendable {
  /// When the token is good, in seconds since 1970.
  struct Validity: Sendable {
    var expiration: Double?
    var notBefore: Double?
    var issuedAt: Double?
  }

  struct Entry: Sendable {
    let token: VerifiedAccessToken
    let issuer: IssuerAccess
    let validity: Validity
    /// By what the signature was checked.
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
