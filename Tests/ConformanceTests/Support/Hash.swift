import Crypto
import Foundation
import SallyportProtocol

/// Returns the SHA-256 hash of a text in Base64URL.
func sha256(_ text: String) -> String {
  Base64URL.encode(SHA256.hash(data: Data(text.utf8)))
}
