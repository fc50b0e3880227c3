package import Crypto

extension SHA256 {
  /// The digest of an array, at once: `hash(data:)` is generic over data in pieces, which costs as much again for a text as short as a token.
  package static func digest(of bytes: [UInt8]) -> SHA256Digest {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize()
  }
}
