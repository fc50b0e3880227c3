import SallyportProtocol
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file with the server's master key, for its owner only.
struct KeyFile {
  let path: String

  /// Reads the file, or makes it with mode 0600. Of several processes that start at once one makes it.
  func readOrMake() throws(Failure) -> MasterKey {
    if let key = try self.read() { return key }
    try self.make()
    guard let key = try self.read() else { throw Failure("the key file \(self.path) was there, and is gone") }
    return key
  }

  /// - Returns: nil where there is no such file.
  func read() throws(Failure) -> MasterKey? {
    let descriptor = open(self.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Failure("cannot read the key file \(self.path): \(PrivateFiles.systemError)") }
      return nil
    }
    defer { close(descriptor) }
    try PrivateFiles.refuseOthers(self.path)
    let line = String(decoding: Self.bytes(descriptor), as: UTF8.self).split(separator: "\n").first ?? ""
    guard let material = Base64URL.decode(line), let key = MasterKey(Secret(material)) else {
      throw Failure(
        "the key file \(self.path) is damaged; restore it, since the signing keys cannot be read without it", isLasting: true)
    }
    return key
  }

  /// Writes the same key to another file.
  func copy(to target: String) throws(Failure) {
    let descriptor = open(self.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot read the key file \(self.path): \(PrivateFiles.systemError)") }
    defer { close(descriptor) }
    try PrivateFiles.write(Self.bytes(descriptor), to: target)
  }

  private static func bytes(_ descriptor: Int32) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: 256)
    let count = text.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return Array(text.prefix(max(count, 0)))
  }

  /// Written beside and linked into place, so that nobody ever reads half a key.
  private func make() throws(Failure) {
    let temporary = "\(self.path).\(getpid())"
    defer { unlink(temporary) }
    try PrivateFiles.write(Array((Base64URL.encode(MasterKey.randomMaterial().reveal()) + "\n").utf8), to: temporary)
    guard link(temporary, self.path) == 0 || errno == EEXIST else {
      throw Failure("cannot write the key file \(self.path): \(PrivateFiles.systemError)")
    }
    try PrivateFiles.sync(folder: PrivateFiles.parent(of: self.path))
  }
}
