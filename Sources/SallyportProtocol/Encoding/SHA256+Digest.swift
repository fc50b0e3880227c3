package import Crypto

extension SHA256 {
  /// Hashes an array in one step. The generic `hash(data:)` takes twice as long for a text as short as a token.
  package static func digest(of bytes: [UInt8]) -> SHA256Digest {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize()
  }
}
