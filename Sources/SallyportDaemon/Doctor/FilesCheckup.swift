#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Checks the permissions of the data directory and the free space.
struct FilesCheckup {
  let data: String
  /// The free space in MiB. Nil if it is unknown.
  let free: Int?

  init(data: String) {
    self.init(data: data, free: Self.free(at: data))
  }

  init(data: String, free: Int?) {
    self.data = data
    self.free = free
  }

  /// Whether the database can be checked: only the owner can access the files, and no restore is incomplete.
  var isReadable: Bool {
    !PrivateFiles.exists("\(self.data)/\(DataFiles.restoring)")
      && ["", "/\(DataFiles.database)", "/\(DataFiles.key)"].allSatisfy {
        (try? PrivateFiles.refuseOthers(self.data + $0)) != nil
      }
  }

  func findings() -> [Finding] {
    guard PrivateFiles.exists("\(self.data)/\(DataFiles.database)") else {
      return [.problem("files", "there is no database in \(self.data); `serve` makes one, or --data names another directory")]
    }
    let owned = ["", "/\(DataFiles.database)", "/\(DataFiles.key)"] + DataFiles.companions.map { "/\($0)" }
    var found = owned.map { self.data + $0 }.filter(PrivateFiles.exists).compactMap { path -> Finding? in
      do throws(Failure) { try PrivateFiles.refuseOthers(path) } catch { return .problem("files", error.message) }
      return nil
    }
    if !PrivateFiles.exists("\(self.data)/\(DataFiles.key)") {
      found.append(.problem("files", "the key file is missing: put it back, or the signing keys cannot be opened"))
    }
    if PrivateFiles.exists("\(self.data)/\(DataFiles.restoring)") {
      found.append(.problem("files", "a restore did not come to its end; run it with --replace again"))
    }
    found += self.leftovers() + self.room()
    return Finding.list("files", found, otherwise: "for their owner alone, and there is room")
  }

  /// Reports copies of the database and the key that restores have left.
  private func leftovers() -> [Finding] {
    PrivateFiles.names(in: self.data).compactMap { name in
      if name.hasPrefix(DataFiles.staged) {
        return .warning("files", "\(self.data)/\(name) is what an interrupted restore left, as secret as the rest; remove it")
      }
      guard name.hasPrefix(DataFiles.replaced) else { return nil }
      return .warning(
        "files", "\(self.data)/\(name) is what a restore has replaced, as secret as the rest; remove it when you are sure")
    }
  }

  private static func free(at path: String) -> Int? {
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return nil }
    return (Int(disk.f_bavail) * Int(disk.f_frsize)) >> 20
  }

  private func room() -> [Finding] {
    let database = PrivateFiles.size(of: "\(self.data)/\(DataFiles.database)") >> 20
    var found: [Finding] = []
    if let free, free < 64 {
      found.append(.problem("files", "\(free) MiB are free where \(self.data) is: soon nobody can sign in"))
    } else if let free, free < max(512, 2 * database) {
      found.append(.warning("files", "\(free) MiB are free where \(self.data) is, beside a database of \(database) MiB"))
    }
    let log = PrivateFiles.size(of: "\(self.data)/\(DataFiles.database)-wal") >> 20
    if log > 256 {
      found.append(
        .warning("files", "the database's log has \(log) MiB: something reads for a very long time, such as a stuck backup"))
    }
    return found
  }
}
