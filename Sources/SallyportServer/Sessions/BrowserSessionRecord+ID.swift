import Crypto
import SallyportProtocol

extension BrowserSessionRecord {
  /// `sid`: names the session to clients, and is of no use in a cookie.
  package var id: String {
    Base64URL.encode(SHA256.hash(data: Array("sid".utf8) + self.fingerprint.bytes).prefix(16))
  }
}
