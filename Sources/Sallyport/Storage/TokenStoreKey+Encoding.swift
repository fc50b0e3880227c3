import Crypto
import SallyportProtocol

extension TokenStoreKey {
  /// One byte sequence for each key: every field with its length in front; the account only where there is one.
  package var encoded: [UInt8] {
    ([self.kind, self.issuer, self.clientID] + [self.account].compactMap(\.self)).flatMap { field in
      withUnsafeBytes(of: UInt32(field.utf8.count).bigEndian, Array.init) + Array(field.utf8)
    }
  }

  /// A file name that tells nobody who signs in where.
  package var fileName: String {
    Base64URL.encode(SHA256.hash(data: self.encoded))
  }
}
