import FoundationEssentials
import Glibc

/// Checks the files in the data directory, their permissions, and the free space.
struct FilesCheckup {
  /// The path of the data directory.
  let data: String
  /// The free space in MiB. Nil if it is unknown.
  let free: Int?

  init(data: String) {
    self.init(data: data, free: Self.freeSpace(at: data))
  }

  init(data: String, free: Int?) {
    self.data = data
    self.free = free
  }

  /// Whether the database can be checked: the database and the key exist, only their owner can access them, and no
  /// restore is incomplete.
  var canCheckDatabase: Bool {
    !FileSystem.exists("\(self.data)/\(DataFiles.restoring)")
      && ["", "/\(DataFiles.database)", "/\(DataFiles.key)"].allSatisfy {
        (try? FileSystem.requirePrivate(self.data + $0)) != nil
      }
  }

  func findings() -> [Finding] {
    guard FileSystem.exists("\(self.data)/\(DataFiles.database)") else {
      return [
        .problem(
          "files",
          "\(self.data) contains no database; run 'sallyportd serve' to create one, or specify another directory with --data")
      ]
    }
    // The empty suffix stands for the directory itself.
    let owned = ["", "/\(DataFiles.database)", "/\(DataFiles.key)"] + DataFiles.companions.map { "/\($0)" }
    var findings = owned.map { self.data + $0 }.filter(FileSystem.exists).compactMap { path -> Finding? in
      do throws(Failure) { try FileSystem.requirePrivate(path) } catch { return .problem("files", error.message) }
      return nil
    }
    if !FileSystem.exists("\(self.data)/\(DataFiles.key)") {
      findings.append(
        .problem("files", "the key file is missing; restore it, because the signing keys cannot be read without it"))
    }
    if FileSystem.exists("\(self.data)/\(DataFiles.restoring)") {
      findings.append(.problem("files", "a restore was interrupted; run 'sallyportd restore --replace' again"))
    }
    findings += self.leftoverFindings() + self.freeSpaceFindings()
    return Finding.list("files", findings, otherwise: "accessible only to the owner, with enough free space")
  }

  /// Reports copies of the database and the key that restores left behind.
  private func leftoverFindings() -> [Finding] {
    FileSystem.names(in: self.data).compactMap { name in
      if name.hasPrefix(DataFiles.staged) {
        return .warning("files", "\(self.data)/\(name) was left by an interrupted restore and contains secrets; remove it")
      }
      guard name.hasPrefix(DataFiles.replaced) else { return nil }
      return .warning(
        "files",
        "\(self.data)/\(name) contains the data that a restore replaced, with secrets; remove it when you no longer need it")
    }
  }

  /// The free space in MiB (2^20 bytes); nil if it cannot be determined.
  private static func freeSpace(at path: String) -> Int? {
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return nil }
    return (Int(disk.f_bavail) * Int(disk.f_frsize)) >> 20
  }

  private func freeSpaceFindings() -> [Finding] {
    // All sizes are in MiB.
    let database = FileSystem.size(of: "\(self.data)/\(DataFiles.database)") >> 20
    var findings: [Finding] = []
    if let free, free < 64 {
      findings.append(
        .problem(
          "files",
          "only \(free) MiB are free on the disk of \(self.data); free some space, because users cannot sign in when the disk is full"
        ))
    } else if let free, free < max(512, 2 * database) {
      // A backup needs the size of the database, and an upgrade can need as much again for a new copy of a table.
      findings.append(
        .warning(
          "files",
          "only \(free) MiB are free on the disk of \(self.data); keep \(max(512, 2 * database)) MiB free for backups and upgrades"
        ))
    }
    let log = FileSystem.size(of: "\(self.data)/\(DataFiles.database)-wal") >> 20
    if log > 256 {
      findings.append(
        .warning(
          "files",
          "the database's write-ahead log has grown to \(log) MiB; stop any process that keeps a read transaction open, such as a stuck backup"
        ))
    }
    return findings
  }
}
