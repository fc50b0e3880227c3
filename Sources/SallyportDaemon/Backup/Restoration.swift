/// Restores a backup into a data directory that is not in use. The backup is first copied to a staging folder in the
/// directory and checked. Then the staging folder becomes the marker folder (`restoring`). While the marker folder
/// exists, no other process uses the directory. Finally the files are moved from the marker folder into place.
struct Restoration {
  /// The path of the data directory.
  let data: String
  /// Whether to replace existing data. Otherwise, existing data is an error.
  let replaces: Bool
  private var markerFolder: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Creates the directory if it does not exist, locks it exclusively, and checks that existing data may be replaced.
  func prepare() throws(Failure) {
    if !FileSystem.exists(self.data) { try FileSystem.makeFolder(self.data) }
    try FileSystem.requirePrivate(self.data)
    try DataLock.lockExclusive(self.data)
    try StagingFolder.removeLeftovers(in: self.data)
    let existing = self.existingFiles
    guard self.replaces || existing.isEmpty else {
      throw Failure(
        "\(self.data) contains data (\(existing.joined(separator: ", "))); use --replace to move it to another folder first")
    }
  }

  /// The names of the existing files that the restore would replace, and of a marker folder that an interrupted restore
  /// left behind.
  private var existingFiles: [String] {
    ([DataFiles.database, DataFiles.key, DataFiles.restoring] + DataFiles.companions)
      .filter { FileSystem.exists("\(self.data)/\($0)") }
  }

  /// Moves the old files to a new folder, and the checked backup into place.
  /// - Returns: The path of the folder with the old files, or nil if there were no old files.
  func install(_ staged: StagedBackup) throws(Failure) -> String? {
    let replaced = self.replacedFiles.isEmpty ? nil : ReplacedFolder.name(in: self.data)
    do {
      try FileSystem.sync(folder: staged.folder.path)
      if let replaced { try FileSystem.makeFolder(replaced) }
    } catch {
      staged.folder.remove()
      throw error
    }
    // From here until the last file is in place, no other process opens the data.
    try self.setMarker(staged.folder)
    if let replaced { try Self.move(self.replacedFiles, from: self.data, to: replaced) }
    try Self.move(Self.files, from: self.markerFolder, to: self.data)
    FileSystem.removeFolder(self.markerFolder)
    try FileSystem.sync(folder: self.data)
    return replaced
  }

  private static let files = [DataFiles.key, DataFiles.database]

  /// Renames the staging folder to the marker folder. If an interrupted restore left a marker folder behind, that
  /// folder stays, and the staged files replace the files in it. If the marker folder were removed first and this
  /// restore were interrupted too, another process could open incomplete data.
  private func setMarker(_ staged: StagingFolder) throws(Failure) {
    if FileSystem.exists(self.markerFolder) {
      try Self.move(Self.files, from: staged.path, to: self.markerFolder)
      staged.remove()
      try FileSystem.sync(folder: self.data)
    } else {
      try staged.move(to: self.markerFolder)
    }
  }

  /// The existing files that are moved to the folder of replaced data.
  private var replacedFiles: [String] { self.existingFiles.filter { $0 != DataFiles.restoring } }

  private static func move(_ names: [String], from source: String, to folder: String) throws(Failure) {
    for name in names { try FileSystem.move("\(source)/\(name)", to: "\(folder)/\(name)") }
    try FileSystem.sync(folder: folder)
  }
}
