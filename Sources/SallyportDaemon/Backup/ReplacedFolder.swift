#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where a restore keeps what it replaces.
enum ReplacedFolder {
  /// A name in the data directory that nothing has, after the time.
  static func name(in data: String) -> String {
    let stamp = Date().formatted(.iso8601).replacing(":", with: "").replacing("-", with: "")
    var (folder, count) = ("\(data)/\(DataFiles.replaced)\(stamp)", 1)
    while PrivateFiles.exists(folder) {
      count += 1
      folder = "\(data)/\(DataFiles.replaced)\(stamp)-\(count)"
    }
    return folder
  }
}
