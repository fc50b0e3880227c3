import Glibc
import SallyportProtocol

@testable import SallyportDesktop

/// A temporary folder that is deleted when this object is deallocated.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    self.path = "/tmp/sallyport-test-\(RandomText.base64URL(bits: 96))"
    mkdir(self.path, 0o700)
  }

  deinit {
    Self.remove(self.path)
  }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in self.names(in: path) { self.remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The permissions of a file in the folder, or of the folder itself if the name is empty.
  func mode(_ name: String = "") -> UInt32? {
    var status = stat()
    return lstat(name.isEmpty ? self.path : "\(self.path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  func write(_ name: String, _ content: [UInt8], mode: mode_t = 0o600) {
    let stream = fopen("\(self.path)/\(name)", "w")
    fwrite(content, 1, content.count, stream)
    fclose(stream)
    chmod("\(self.path)/\(name)", mode)
  }

  func read(_ name: String) -> [UInt8]? {
    FileSystem.content("\(self.path)/\(name)")
  }
}
