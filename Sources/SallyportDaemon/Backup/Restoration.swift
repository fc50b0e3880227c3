/// Restores a backup into a data directory that is not in use. The backup is staged in a folder of the directory and
/// checked. A marker folder keeps other processes from using the directory while the files are moved into place.
struct Restoration {
  let data: String
  let replaces: Bool
  private var markerFolder: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Locks the directory exclusively, and creates it if it does not exist.
  func prepare() throws(Failure) {
    if !PrivateFiles.exists(self.data) { try PrivateFiles.makeFolder(self.data) }
    try PrivateFiles.requirePrivate(self.data)
    try DataLock.acquire(self.data)
    try StagingFolder.removeLeftovers(in: self.data)
    let present = self.present
    guard self.replaces || present.isEmpty else {
      throw Failure(
        "\(self.data) contains data (\(present.joined(separator: ", "))); use --replace to move it to another folder first")
    }
  }

  /// The existing files that the restore would replace.
  private var present: [String] {
    ([DataFiles.database, DataFiles.key, DataFiles.restoring] + DataFiles.companions)
      .filter { PrivateFiles.exists("\(self.data)/\($0)") }
  }

  /// - Returns: The folder that contains the old files, or nil if there were none.
  func install(_ staged: StagedBackup) throws(Failure) -> String? {
    let replaced = self.old.isEmpty ? nil : ReplacedFolder.name(in: self.data)
    do {
      try PrivateFiles.sync(folder: staged.folder.path)
      if let replaced { try PrivateFiles.makeFolder(replaced) }
    } catch {
      staged.folder.remove()
      throw error
    }
    // From here until the last file is in place, no other process opens the data.
    try self.setMarker(staged.folder)
    if let replaced { try Self.move(self.old, from: self.data, to: replaced) }
    try Self.move(Self.files, from: self.markerFolder, to: self.data)
    PrivateFiles.removeFolder(self.markerFolder)
    try PrivateFiles.sync(folder: self.data)
    return replaced
  }

  private static let files = [DataFiles.key, DataFiles.database]

  /// Sets the marker. If an interrupted restore left a marker folder, only the files in it are replaced, because while
  /// there is no marker, another process could open incomplete data.
  private func setMarker(_ staged: StagingFolder) throws(Failure) {
    if PrivateFiles.exists(self.markerFolder) {
      try Self.move(Self.files, from: staged.path, to: self.markerFolder)
      staged.remove()
      try PrivateFiles.sync(folder: self.data)
    } else {
      try staged.move(to: self.markerFolder)
    }
  }

  /// The existing files that are moved to another folder.
  private var old: [String] { self.present.filter { $0 != DataFiles.restoring } }

  private static func move(_ names: [String], from source: String, to folder: String) throws(Failure) {
    for name in names { try PrivateFiles.move("\(source)/\(name)", to: "\(folder)/\(name)") }
    try PrivateFiles.sync(folder: folder)
  }
}
