import Crypto
import Foundation
import SallyportProtocol

/// The base64url of a text's SHA-256.
func sha256(_ text: String) -> String {
  Base64URL.encode(SHA256.hash(data: Data(text.utf8)))
}
