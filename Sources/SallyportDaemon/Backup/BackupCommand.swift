import ArgumentParser

/// `sallyportd backup`: makes a complete copy of the server's data. It can run while the server runs.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database and the key into a new folder, while the server runs.",
    discussion: """
      The folder is a data directory of one moment: everything that was acknowledged before this began is in it. It is read again before it
      gets its name; where there is something of this name, nothing is written.

      With the key in it, whoever has the folder can sign tokens as this server and read who its people are: keep it as you keep the server.
      With --without-key the signing keys in it cannot be opened, and restoring needs the key from elsewhere; the hashes of passwords are in
      it either way.
      """)
  @OptionGroup var data: DataOptions
  @Argument(help: "The folder to be made.") var folder: String
  @Flag(help: "Leave out the key file; keep it somewhere else.") var withoutKey = false
  @Flag(help: "Print JSON.") var json = false

  private struct Row: Encodable {
    let path: String
    let hasKey: Bool
    let bytes: Int

    private enum CodingKeys: String, CodingKey {
      case path
      case hasKey = "has_key"
      case bytes
    }
  }

  func run() async throws {
    let data = try self.data.path()
    try PrivateFiles.refuseOthers(data)
    try DataLock.share(data)
    let folder = self.folder.count > 1 && self.folder.hasSuffix("/") ? String(self.folder.dropLast()) : self.folder
    let backup = try BackupFolder.make(of: data, at: folder, withKey: !self.withoutKey)
    if self.json {
      return try Console.print(
        json: Row(path: backup.path, hasKey: !self.withoutKey, bytes: PrivateFiles.size(of: backup.database)))
    }
    Console.print(backup.path)
    if self.withoutKey { Console.say("the key file is not in it; keep \(data)/\(DataFiles.key) somewhere else") }
  }
}
