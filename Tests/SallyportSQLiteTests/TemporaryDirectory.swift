import Foundation

/// A directory for one test.
struct TemporaryDirectory {
  let path: String

  init() throws {
    self.path = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: self.path)
  }
}
