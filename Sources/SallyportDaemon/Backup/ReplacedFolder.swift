import FoundationEssentials

/// The folder in which a restore keeps the data that it replaces.
enum ReplacedFolder {
  /// Returns the path of a folder that does not exist yet. The folder's name contains the current time.
  static func name(in data: String) -> String {
    let stamp = Date().formatted(.iso8601).replacing(":", with: "").replacing("-", with: "")
    var (folder, count) = ("\(data)/\(DataFiles.replaced)\(stamp)", 1)
    while FileSystem.exists(folder) {
      count += 1
      folder = "\(data)/\(DataFiles.replaced)\(stamp)-\(count)"
    }
    return folder
  }
}
