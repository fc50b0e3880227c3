import ArgumentParser

/// `sallyportd backup`: makes a complete copy of the server's data. It can run while the server runs.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up the database and the key file while the server runs.",
    discussion: """
      The backup is a folder with the files of a data directory. The backup contains everything that the server had stored
      when the command started. The command writes the backup to a folder with the suffix .partial, checks the backup, and
      then renames the folder. If a folder with the final name already exists, the command fails and writes nothing.

      Protect the backup like the server: with the key file in it, anyone can sign tokens as this server. With --without-key, the signing
      keys in the backup cannot be read, and a restore requires the key file from elsewhere. The backup contains user data and password
      hashes in either case.
      """)
  @OptionGroup var data: DataOptions
  @Argument(help: "The folder to create.") var folder: String
  @Flag(help: "Do not include the key file, which you must then back up separately.") var withoutKey = false
  @Flag(help: "Print JSON.") var json = false

  /// What `--json` prints.
  private struct BackupReport: Encodable {
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
    try self.data.requireSQLite(for: "backup")
    let data = try self.data.path()
    try FileSystem.requirePrivate(data)
    try DataLock.lockShared(data)
    let folder = self.folder.count > 1 && self.folder.hasSuffix("/") ? String(self.folder.dropLast()) : self.folder
    let backup = try BackupFolder.make(of: data, at: folder, withKey: !self.withoutKey)
    if self.json {
      return try Console.print(
        json: BackupReport(path: backup.path, hasKey: !self.withoutKey, bytes: FileSystem.size(of: backup.database)))
    }
    Console.print(backup.path)
    if self.withoutKey {
      Console.printMessage("the backup does not contain the key file; keep a copy of \(data)/\(DataFiles.key) elsewhere")
    }
  }
}
