package import HTTPTypes
import SallyportProtocol
import Synchronization

/// The latest DPoP nonce of each server, by origin (RFC 9449 §8.2 and §9), kept in memory.
package final class DPoPNonces: Sendable {
  private let nonces = Mutex<[Origin: String]>([:])

  package init() {}

  package subscript(origin: Origin) -> String? { self.nonces.withLock { $0[origin] } }

  /// Stores the nonce of a response, regardless of its status.
  /// - Returns: The nonce, or `nil` if the response has no valid nonce.
  @discardableResult
  package func storeNonce(in fields: HTTPFields, from origin: Origin) -> String? {
    guard let nonce = fields[.dpopNonce], Self.isNonce(nonce) else { return nil }
    self.nonces.withLock { nonces in
      // A client uses only a few origins. If the limit is reached, all nonces are dropped, and the servers send new
      // ones.
      if nonces[origin] == nil, nonces.count >= Self.maximumOrigins { nonces = [:] }
      nonces[origin] = nonce
    }
    return nonce
  }

  /// Whether the text consists of 1 to 512 of the characters that RFC 9449 §8.1 allows. The RFC does not limit the
  /// length.
  private static func isNonce(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
  }

  private static let maximumOrigins = 64
}
