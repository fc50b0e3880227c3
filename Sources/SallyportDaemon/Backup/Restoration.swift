/// The way of a backup into a data directory that nobody uses: staged beside, checked, and moved into place under a mark that stops everybody
/// until the last file is there.
struct Restoration {
  let data: String
  let replaces: Bool
  private var mark: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Takes the directory for this process alone, and makes it where there is none.
  func prepare() throws(Failure) {
    if !PrivateFiles.exists(self.data) { try PrivateFiles.makeFolder(self.data) }
    try PrivateFiles.refuseOthers(self.data)
    try DataLock.own(self.data)
    try StagingFolder.removeLeftovers(in: self.data)
    let there = self.present
    guard self.replaces || there.isEmpty else {
      throw Failure("there is data in \(self.data) (\(there.joined(separator: ", "))); --replace keeps it aside")
    }
  }

  /// What would be in the way.
  private var present: [String] {
    ([DataFiles.database, DataFiles.key, DataFiles.restoring] + DataFiles.companions)
      .filter { PrivateFiles.exists("\(self.data)/\($0)") }
  }

  /// - Returns: where the old files are now; nil where there were none.
  func putInPlace(_ staged: StagedBackup) throws(Failure) -> String? {
    let aside = self.old.isEmpty ? nil : ReplacedFolder.name(in: self.data)
    do {
      try PrivateFiles.sync(folder: staged.folder.path)
      if let aside { try PrivateFiles.makeFolder(aside) }
    } catch {
      staged.folder.remove()
      throw error
    }
    // From here on nobody opens what is there, until the last file is in its place.
    try self.setMark(staged.folder)
    if let aside { try Self.move(self.old, from: self.data, to: aside) }
    try Self.move(Self.files, from: self.mark, to: self.data)
    PrivateFiles.removeFolder(self.mark)
    try PrivateFiles.sync(folder: self.data)
    return aside
  }

  private static let files = [DataFiles.key, DataFiles.database]

  /// The mark of an interrupted restore stays where it is, and only what is in it is replaced: without a mark somebody might start on the half.
  private func setMark(_ staged: StagingFolder) throws(Failure) {
    if PrivateFiles.exists(self.mark) {
      try Self.move(Self.files, from: staged.path, to: self.mark)
      staged.remove()
      try PrivateFiles.sync(folder: self.data)
    } else {
      try staged.move(to: self.mark)
    }
  }

  /// What is kept aside.
  private var old: [String] { self.present.filter { $0 != DataFiles.restoring } }

  private static func move(_ names: [String], from source: String, to folder: String) throws(Failure) {
    for name in names { try PrivateFiles.move("\(source)/\(name)", to: "\(folder)/\(name)") }
    try PrivateFiles.sync(folder: folder)
  }
}
