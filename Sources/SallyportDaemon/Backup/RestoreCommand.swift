import ArgumentParser
import FoundationEssentials
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// `sallyportd restore`: restores a backup while the server is stopped, or with `--online` while it runs.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a backup while the server is stopped, or with --online while it runs.",
    discussion: """
      The command first checks that the backup is complete, has a supported version, and matches its key file. With --replace, existing
      data is kept in a folder 'replaced-TIME' in the data directory.

      Without --online, no process may use the data directory. With --online, the server continues to run: the backup is written into the
      live database in one transaction, and the old data is kept in a folder 'replaced-TIME'. Reads continue meanwhile. Writes wait, and fail
      if they wait longer than ten seconds. The server keeps its key file and signing keys, so the backup must have been made with the same
      key file.

      Sessions and grants that were revoked after a backup was made are still valid in the backup. Therefore all browser sessions and grants
      in the backup end, and users must sign in again. Otherwise a stolen device could regain access. Pushed requests, unfinished sign-ins
      through other providers, one-time links, links for sign-up, queued mail, and device authorizations that have not been redeemed are
      removed. With --keep-grants, all of these are kept as they are in the backup. Use this option only if nothing has changed since the
      backup, for example to move a stopped server to another machine. A refresh token that was used since the backup then works once more,
      and the token that replaced it is unknown.

      Users who were disabled, passwords that were changed, and clients that were removed after the backup are restored as they were in the
      backup. Without --online, signing keys are restored too: a key that was withdrawn after a leak signs again until you run
      'sallyportd key rotate --immediately'.
      """)
  @OptionGroup var data: DataOptions
  @Argument(help: "The folder that 'sallyportd backup' created.") var folder: String
  @Option(help: ArgumentHelp("The key file, if the backup does not contain it.", valueName: "file")) var key: String?
  @Flag(help: "Replace existing data, which is kept in a folder 'replaced-TIME'.") var replace = false
  @Flag(help: "Replace the running server's data, which is kept in a folder 'replaced-TIME'.") var online = false
  @Flag(help: "Keep sessions, grants, links, and mail, including what was revoked or used since the backup.")
  var keepGrants = false
  @Flag(help: "Print JSON.") var json = false

  private struct Row: Encodable {
    let path: String
    let createdAt: String?
    /// The folder with the old data; nil if there was no old data.
    let replaced: String?
    let endedSessions: Int
    let endedGrants: Int

    private enum CodingKeys: String, CodingKey {
      case path
      case createdAt = "made_at"
      case replaced
      case endedSessions = "ended_sessions"
      case endedGrants = "ended_grants"
    }
  }

  func validate() throws {
    if self.online, self.key != nil {
      throw ValidationError("--key cannot be combined with --online, which keeps the server's key file")
    }
    if self.online, self.replace {
      throw ValidationError("--replace cannot be combined with --online, which always replaces the data")
    }
  }

  func run() async throws {
    let backup = BackupFolder(path: self.folder)
    try self.data.requireSQLite(for: "restore")
    let data = try self.data.path()
    let (replaced, ended) =
      self.online ? try await self.withRunningServer(backup, data) : try await self.withoutServer(backup, data)
    let createdAt = backup.createdAt()?.formatted(.iso8601)
    if self.json {
      return try Console.print(
        json: Row(
          path: data, createdAt: createdAt, replaced: replaced, endedSessions: ended.sessions, endedGrants: ended.grants))
    }
    Console.print(data)
    if let replaced { Console.printMessage("the old data is in \(replaced); protect it like the data directory") }
    let since = createdAt.map { " (\($0))" } ?? ""
    Console.printMessage(
      self.keepGrants
        ? "sessions and grants stay valid, including those revoked since the backup\(since)"
        : "ended \(ended.sessions) browser sessions and \(ended.grants) grants; users must sign in again")
    let restored = self.online ? "users, passwords, and clients" : "users, passwords, clients, and signing keys"
    Console.printMessage(
      "\(restored) are as they were in the backup\(since); repeat any changes that you made since, such as disabling a user")
  }

  /// `replaced` is the folder with the old data; nil if there was no old data.
  private typealias Outcome = (replaced: String?, ended: (sessions: Int, grants: Int))

  private func withoutServer(_ backup: BackupFolder, _ data: String) async throws -> Outcome {
    let restoration = Restoration(data: data, replaces: self.replace)
    try restoration.prepare()
    let staged = try await StagedBackup(
      of: backup, key: KeyFile(path: self.key ?? backup.key), in: data, revokingGrants: !self.keepGrants)
    return (try restoration.install(staged), staged.ended)
  }

  private func withRunningServer(_ backup: BackupFolder, _ data: String) async throws -> Outcome {
    let restoration = OnlineRestoration(data: data)
    let staged = try await restoration.stage(backup, revokingGrants: !self.keepGrants)
    return (try restoration.install(staged), staged.ended)
  }
}
