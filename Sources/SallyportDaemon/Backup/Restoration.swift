/// Restores a backup into a data directory that is not in use. The backup is staged in a folder of the directory and
/// checked. A marker folder keeps other processes from using the directory while the files are moved into place.
struct Restoration {
  let data: String
  let replaces: Bool
  private var mark: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Locks the directory exclusively, and creates it if it does not exist.
  func prepare() throws(Failure) {
    if !PrivateFiles.exists(self.data) { try PrivateFiles.makeFolder(self.data) }
    try PrivateFiles.requirePrivate(self.data)
    try DataLock.own(self.data)
    try StagingFolder.removeLeftovers(in: self.data)
    let present = self.present
    guard self.replaces || present.isEmpty else {
      throw Failure(
        "\(self.data) contains data (\(present.joined(separator: ", "))); with --replace, the restore keeps it in another folder")
    }
  }

  /// The existing files that the restore would replace.
  private var present: [String] {
    ([DataFiles.database, DataFiles.key, DataFiles.restoring] + DataFiles.companions)
      .filter { PrivateFiles.exists("\(self.data)/\($0)") }
  }

  /// - Returns: The folder that contains the old files, or nil if there were none.
  func putInPlace(_ staged: StagedBackup) throws(Failure) -> String? {
    let aside = self.old.isEmpty ? nil : ReplacedFolder.name(in: self.data)
    do {
      try PrivateFiles.sync(folder: staged.folder.path)
      if let aside { try PrivateFiles.makeFolder(aside) }
    } catch {
      staged.folder.remove()
      throw error
    }
    // From here until the last file is in place, no other process opens the data.
    try self.setMark(staged.folder)
    if let aside { try Self.move(self.old, from: self.data, to: aside) }
    try Self.move(Self.files, from: self.mark, to: self.data)
    PrivateFiles.removeFolder(self.mark)
    try PrivateFiles.sync(folder: self.data)
    return aside
  }

  private static let files = [DataFiles.key, DataFiles.database]

  /// Sets the marker. If an interrupted restore left a marker, only its content is replaced, because without a marker
  /// another process could open incomplete data.
  private func setMark(_ staged: StagingFolder) throws(Failure) {
    if PrivateFiles.exists(self.mark) {
      try Self.move(Self.files, from: staged.path, to: self.mark)
      staged.remove()
      try PrivateFiles.sync(folder: self.data)
    } else {
      try staged.move(to: self.mark)
    }
  }

  /// The existing files that are moved to another folder.
  private var old: [String] { self.present.filter { $0 != DataFiles.restoring } }

  private static func move(_ names: [String], from source: String, to folder: String) throws(Failure) {
    for name in names { try PrivateFiles.move("\(source)/\(name)", to: "\(folder)/\(name)") }
    try PrivateFiles.sync(folder: folder)
  }
}
