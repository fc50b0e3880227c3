import Foundation

/// The folder with the built commands and the test program.
enum BuildFolder {
  static let url = (Bundle.main.executableURL ?? URL(filePath: "/")).deletingLastPathComponent()

  static func command(_ name: String) -> String {
    self.url.appending(path: name).path
  }

  /// Returns the folder for screenshots, which it creates if needed.
  static func screenshots() throws -> URL {
    let folder = self.url.appending(path: "end-to-end")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
