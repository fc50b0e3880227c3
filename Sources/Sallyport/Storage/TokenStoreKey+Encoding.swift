import Crypto
import SallyportProtocol

extension TokenStoreKey {
  /// An unambiguous encoding: each field with its length as a prefix. The account is left out if it is `nil`.
  package var encoded: [UInt8] {
    ([self.kind, self.issuer, self.clientID] + [self.account].compactMap(\.self)).flatMap { field in
      withUnsafeBytes(of: UInt32(field.utf8.count).bigEndian, Array.init) + Array(field.utf8)
    }
  }

  /// A file name that doesn't reveal the issuer or account.
  package var fileName: String {
    Base64URL.encode(SHA256.hash(data: self.encoded))
  }
}
