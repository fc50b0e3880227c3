import ArgumentParser
import SallyportProtocol
import SallyportSQLite
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `sallyportd restore`: restores a backup while the server is stopped, or with `--online` while it runs.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup into place, with the server stopped or while it runs.",
    discussion: """
      The backup is checked first: whole, of a version that this one knows, and fitting its key. Until then nothing changes. With --replace what
      is there is kept aside, in a folder of the data directory named replaced- and the time.

      Without --online nothing may run on the data directory. With --online the server goes on: the backup is written into the live database in one
      transaction, and what was there is kept aside. Meanwhile the server reads on; what it would write waits, and is refused as unavailable
      where that takes longer than ten seconds. The key file and the signing keys stay, so the backup has to be one that was made under that key.

      A backup knows nothing of what was revoked after it was made. So every browser session and every grant in it ends, and people sign in
      again: a device that was signed out as stolen must not come back to life. With --keep-grants they stay; say so only where nothing happened
      since, as when a server that was stopped for its backup moves to another machine. A refresh token that was used since then works once
      more. The token that replaced it is unknown.

      Accounts disabled, passwords changed and clients removed since the backup are as they were in it, either way. So are signing keys without
      --online: one that was withdrawn after a leak signs again, until `sallyportd key rotate --immediately`.
      """)
  @OptionGroup var data: DataOptions
  @Argument(help: "The folder that `sallyportd backup` has made.") var folder: String
  @Option(help: ArgumentHelp("The key file, where it is not in the backup.", valueName: "file")) var key: String?
  @Flag(help: "Keep what is there aside instead of refusing.") var replace = false
  @Flag(help: "Replace the data under the running server, keeping what is there aside.") var online = false
  @Flag(help: "Leave sessions and grants alive, those revoked since the backup too.") var keepGrants = false
  @Flag(help: "Print JSON.") var json = false

  private struct Row: Encodable {
    let path: String
    let madeAt: String?
    let replaced: String?
    let endedSessions: Int
    let endedGrants: Int

    private enum CodingKeys: String, CodingKey {
      case path
      case madeAt = "made_at"
      case replaced
      case endedSessions = "ended_sessions"
      case endedGrants = "ended_grants"
    }
  }

  func validate() throws {
    guard !self.online || self.key == nil else {
      throw ValidationError("--online keeps the key that the server has; leave out --key")
    }
  }

  func run() async throws {
    let backup = BackupFolder(path: self.folder)
    let data = try self.data.path()
    let (replaced, ended) = self.online ? try await self.underServer(backup, data) : try await self.alone(backup, data)
    let madeAt = backup.madeAt()?.formatted(.iso8601)
    if self.json {
      return try Console.print(
        json: Row(
          path: data, madeAt: madeAt, replaced: replaced, endedSessions: ended.sessions, endedGrants: ended.grants))
    }
    Console.print(data)
    if let replaced { Console.say("what was there is in \(replaced); it is as secret as the rest") }
    let since = madeAt.map { " (\($0))" } ?? ""
    Console.say(
      self.keepGrants
        ? "sessions and grants live on, also those revoked since the backup\(since)"
        : "ended \(ended.sessions) browser sessions and \(ended.grants) grants: people sign in again")
    let restored = self.online ? "accounts, passwords and clients" : "accounts, passwords, clients and signing keys"
    Console.say("\(restored) are as they were in the backup\(since); disable, remove or withdraw again what was since")
  }

  private typealias Outcome = (replaced: String?, ended: (sessions: Int, grants: Int))

  private func alone(_ backup: BackupFolder, _ data: String) async throws -> Outcome {
    let restoration = Restoration(data: data, replaces: self.replace)
    try restoration.prepare()
    let staged = try await StagedBackup(
      of: backup, key: KeyFile(path: self.key ?? backup.key), in: data, endingGrants: !self.keepGrants)
    return (try restoration.putInPlace(staged), staged.ended)
  }

  private func underServer(_ backup: BackupFolder, _ data: String) async throws -> Outcome {
    let restoration = OnlineRestoration(data: data)
    let staged = try await restoration.stage(backup, endingGrants: !self.keepGrants)
    return (try restoration.putInPlace(staged), staged.ended)
  }
}
