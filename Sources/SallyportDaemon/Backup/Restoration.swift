/// The way of a backup into a data directory that nobody uses: staged beside, checked, and moved into place under a mark that stops everybody
/// until the last file is there.
struct Restoration {
  let data: String
  let replaces: Bool
  /// Where the new files are made.
  var staged: String { "\(self.data)/\(DataFiles.staged)" }
  private var mark: String { "\(self.data)/\(DataFiles.restoring)" }

  /// Takes the directory for this process alone, and makes it where there is none.
  func prepare() throws(Failure) {
    if !PrivateFiles.exists(self.data) { try PrivateFiles.makeFolder(self.data) }
    try PrivateFiles.refuseOthers(self.data)
    try DataLock.own(self.data)
    // Whoever else staged something here has come to an end before this began.
    for name in PrivateFiles.names(in: self.data) where name.hasPrefix(DataFiles.staged) {
      PrivateFiles.removeFolder("\(self.data)/\(name)")
    }
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
  func putInPlace() throws(Failure) -> String? {
    let aside: String?
    do {
      try PrivateFiles.sync(folder: self.staged)
      aside = self.old.isEmpty ? nil : try ReplacedFolder.make(in: self.data)
    } catch {
      PrivateFiles.removeFolder(self.staged)
      throw error
    }
    // From here on nobody opens what is there, until the last file is in its place.
    try self.setMark()
    if let aside { try Self.move(self.old, from: self.data, to: aside) }
    try Self.move(Self.files, from: self.mark, to: self.data)
    PrivateFiles.removeFolder(self.mark)
    try PrivateFiles.sync(folder: self.data)
    return aside
  }

  private static let files = [DataFiles.key, DataFiles.database]

  /// The mark of an interrupted restore stays where it is, and only what is in it is replaced: without a mark somebody might start on the half.
  private func setMark() throws(Failure) {
    if PrivateFiles.exists(self.mark) {
      try Self.move(Self.files, from: self.staged, to: self.mark)
      PrivateFiles.removeFolder(self.staged)
    } else {
      try PrivateFiles.move(self.staged, to: self.mark)
    }
    try PrivateFiles.sync(folder: self.data)
  }

  /// What is kept aside.
  private var old: [String] { self.present.filter { $0 != DataFiles.restoring } }

  private static func move(_ names: [String], from source: String, to folder: String) throws(Failure) {
    for name in names { try PrivateFiles.move("\(source)/\(name)", to: "\(folder)/\(name)") }
    try PrivateFiles.sync(folder: folder)
  }
}
