import Crypto
import FoundationEssentials
import Glibc

/// The SHA-256 digest of a file of any size.
///
/// `PRAGMA integrity_check` only tests whether the pages of a database are consistent. A digest also detects values
/// that changed in rows.
enum FileDigest {
  /// The digest in hexadecimal, as `sha256sum` prints it.
  static func sha256(of path: String) throws(Failure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot read \(path): \(FileSystem.systemError)") }
    defer { close(descriptor) }
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw Failure("cannot read \(path): \(FileSystem.systemError)") }
      if count == 0 { break }
      hash.update(data: buffer.prefix(count))
    }
    return hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
