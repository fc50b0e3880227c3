#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where a restore keeps what it replaces.
enum ReplacedFolder {
  /// Makes a folder of the data directory, named for the time.
  /// - Returns: its path.
  static func make(in data: String) throws(Failure) -> String {
    let stamp = Date().formatted(.iso8601).replacing(":", with: "").replacing("-", with: "")
    var (folder, count) = ("\(data)/\(DataFiles.replaced)\(stamp)", 1)
    while PrivateFiles.exists(folder) {
      count += 1
      folder = "\(data)/\(DataFiles.replaced)\(stamp)-\(count)"
    }
    try PrivateFiles.makeFolder(folder)
    return folder
  }
}
