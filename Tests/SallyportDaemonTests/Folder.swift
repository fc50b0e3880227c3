import Foundation
import SocketTestSupport

@testable import SallyportDaemon

/// A temporary folder that only the owner can access.
struct Folder {
  let path = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(
      atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = "\(self.path)/\(name)"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return file
  }

  /// Sets the size of a file without using space on the disk. Creates the file if it does not exist.
  func grow(_ name: String, to mebibytes: UInt64) throws {
    let file = "\(self.path)/\(name)"
    if !FileManager.default.fileExists(atPath: file) { try self.write("", to: name) }
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    try handle.truncate(atOffset: mebibytes << 20)
    try handle.close()
  }

  /// Writes the server's certificate and its private key to files.
  @discardableResult
  func certificate(_ certificates: TestCertificates) throws -> CertificateFiles {
    CertificateFiles(
      certificate: try self.write(certificates.serverPEM.certificate, to: "chain.pem"),
      key: try self.write(certificates.serverPEM.key, to: "key.pem"))
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: self.path)
  }
}
