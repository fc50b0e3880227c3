import FoundationEssentials
import Glibc
import SallyportProtocol
import SallyportServer

/// The file with the server's master key. Only its owner can access it.
struct KeyFile {
  let path: String

  /// What an operator can do without the key file.
  static let adviceIfLost =
    "if it is lost, 'sallyportd key rotate --immediately' creates new signing keys, and all access tokens become invalid"

  /// Reads the file, or creates it with mode 0600. If several processes start at once, one of them creates the file and
  /// all of them read it.
  func readOrMake() throws(Failure) -> MasterKey {
    if let key = try self.read() { return key }
    try self.make()
    guard let key = try self.read() else { throw Failure("the key file \(self.path) was removed while it was created") }
    return key
  }

  /// - Returns: Nil if the file does not exist.
  func read() throws(Failure) -> MasterKey? {
    let descriptor = open(self.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      // A restart does not change the owner of the file.
      let isPermanent = errno == EACCES
      throw Failure(
        "cannot read the key file \(self.path): \(FileSystem.systemError)\(isPermanent ? "; it must belong to the server's user" : "")",
        isPermanent: isPermanent)
    }
    defer { close(descriptor) }
    try FileSystem.requirePrivate(self.path)
    let line = String(decoding: Self.bytes(descriptor), as: UTF8.self).split(separator: "\n").first ?? ""
    guard let material = Base64URL.decode(line), let key = MasterKey(Secret(material)) else {
      throw Failure(
        "the key file \(self.path) is damaged; restore it from a backup, because the signing keys cannot be read without it",
        isPermanent: true)
    }
    return key
  }

  /// Copies the key to a new file.
  func copy(to target: String) throws(Failure) {
    let descriptor = open(self.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot read the key file \(self.path): \(FileSystem.systemError)") }
    defer { close(descriptor) }
    try FileSystem.write(Self.bytes(descriptor), to: target)
  }

  /// Reads at most 256 bytes, which is more than a key file contains. Returns no bytes if reading fails.
  private static func bytes(_ descriptor: Int32) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: 256)
    let count = text.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    return Array(text.prefix(max(count, 0)))
  }

  /// Creates the file unless another process has created it. The key is written under a temporary name, which is then
  /// linked to the final name, so that no process reads an incomplete key.
  private func make() throws(Failure) {
    let temporary = "\(self.path).\(RandomText.base64URL(bits: 64))"
    defer { unlink(temporary) }
    try FileSystem.write(Array((Base64URL.encode(MasterKey.randomMaterial().reveal()) + "\n").utf8), to: temporary)
    guard link(temporary, self.path) == 0 || errno == EEXIST else {
      throw Failure("cannot write the key file \(self.path): \(FileSystem.systemError)")
    }
    try FileSystem.sync(folder: FileSystem.parent(of: self.path))
  }
}
