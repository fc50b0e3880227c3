import HTTPTypes
import SallyportProtocol
import Synchronization

/// The nonce that each server last asked for, RFC 9449 §8.2 and §9: one for each origin, kept while the program runs.
final class DPoPNonces: Sendable {
  private let nonces = Mutex<[Origin: String]>([:])

  subscript(origin: Origin) -> String? { self.nonces.withLock { $0[origin] } }

  /// Keeps the nonce of an answer, whatever its status.
  /// - Returns: the nonce; nil where the answer has none that could be used.
  @discardableResult
  func keep(_ fields: HTTPFields, of origin: Origin) -> String? {
    guard let nonce = fields[.dpopNonce], Self.isNonce(nonce) else { return nil }
    self.nonces.withLock { nonces in
      // A client talks to a handful of servers; should it be more, those of long ago ask again.
      if nonces[origin] == nil, nonces.count >= Self.most { nonces = [:] }
      nonces[origin] = nonce
    }
    return nonce
  }

  /// §8.1: the characters of RFC 6749 Appendix A.
  private static func isNonce(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
  }

  private static let most = 64
}
