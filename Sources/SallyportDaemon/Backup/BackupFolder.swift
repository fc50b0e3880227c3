import FoundationEssentials
import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// A backup: a folder that contains the files of a data directory, and a manifest with the time of the backup.
///
/// A backup with the key file must be protected like the server. In a backup without the key file, the signing keys
/// cannot be decrypted, but the clients and the accounts with their password hashes can be read. See
/// docs/decisions/0048-backups.md.
struct BackupFolder {
  /// The content of `backup.json`.
  struct Manifest: Codable {
    var createdAt: Date
    var version: String
    var hasKey: Bool
    /// The digest of the database. Nil in backups of earlier versions.
    var sha256: String?

    private enum CodingKeys: String, CodingKey {
      case createdAt = "made_at"
      case version = "sallyportd_version"
      case hasKey = "has_key"
      case sha256 = "database_sha256"
    }
  }

  static let manifestName = "backup.json"
  let path: String

  var database: String { "\(self.path)/\(DataFiles.database)" }
  var key: String { "\(self.path)/\(DataFiles.key)" }

  /// Makes a backup of a data directory that may be in use. The folder gets its final name only after the backup is
  /// complete and checked.
  /// - Parameters:
  ///   - data: The path of the data directory.
  ///   - path: The path of the backup, which must not exist yet.
  ///   - withKey: Whether to include the key file.
  static func make(of data: String, at path: String, withKey: Bool) throws -> BackupFolder {
    guard !FileSystem.exists(path) else { throw Failure("\(path) already exists; specify a folder that does not exist yet") }
    let partial = BackupFolder(path: "\(path).partial")
    do { try FileSystem.makeFolder(partial.path) } catch {
      guard FileSystem.exists(partial.path) else { throw error }
      throw Failure("\(error.message) (another backup may be in progress; if one was interrupted, remove this folder)")
    }
    do {
      try partial.fill(from: data, withKey: withKey)
      try FileSystem.sync(folder: partial.path)
      try FileSystem.move(partial.path, to: path)
    } catch {
      FileSystem.removeFolder(partial.path)
      throw error
    }
    try FileSystem.sync(folder: FileSystem.parent(of: path))
    return BackupFolder(path: path)
  }

  private func fill(from data: String, withKey: Bool) throws {
    let createdAt = Date()
    do { try SQLiteStore.copy("\(data)/\(DataFiles.database)", to: self.database) } catch {
      throw Failure("cannot copy the database in \(data): \(error.reason)")
    }
    let source = KeyFile(path: "\(data)/\(DataFiles.key)")
    guard let masterKey = try source.read() else {
      throw Failure("\(data) contains no key file; restore it before you make a backup")
    }
    try Self.requireUsable(self.database, with: masterKey)
    if withKey { try source.copy(to: self.key) }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    let digest = try FileDigest.sha256(of: self.database)
    let manifest = Manifest(createdAt: createdAt, version: Sallyportd.version, hasKey: withKey, sha256: digest)
    try FileSystem.write(Array(try encoder.encode(manifest)) + [0x0A], to: "\(self.path)/\(Self.manifestName)")
  }

  /// When the backup was made. Nil if there is no valid manifest, as in a plain copy of a data directory.
  func createdAt() -> Date? { try? self.readManifest()?.createdAt }

  /// Throws if the manifest is damaged, or if the database cannot be read or has changed since the backup was made.
  /// Does nothing if there is no digest to compare with.
  func requireUnchanged() throws(Failure) {
    guard let digest = try self.readManifest()?.sha256 else { return }
    guard try FileDigest.sha256(of: self.database) == digest else {
      throw Failure("\(self.database) has changed since the backup was made; use a different backup")
    }
  }

  /// - Returns: Nil if there is no manifest.
  private func readManifest() throws(Failure) -> Manifest? {
    guard FileSystem.exists("\(self.path)/\(Self.manifestName)") else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let data = FileManager.default.contents(atPath: "\(self.path)/\(Self.manifestName)"),
      let manifest = try? decoder.decode(Manifest.self, from: data)
    else { throw Failure("\(self.path)/\(Self.manifestName) is damaged; use a different backup") }
    return manifest
  }

  /// Throws if a database cannot be read, is damaged, has an unsupported version, or does not match the key.
  static func requireUsable(_ database: String, with masterKey: MasterKey) throws(Failure) {
    let condition: DatabaseCondition
    do { condition = try DatabaseCondition(ofDatabase: database, thoroughly: true) } catch {
      throw Failure("\(database) cannot be read: \(error.reason)", isPermanent: error.isPermanent)
    }
    guard condition.damage.isEmpty else {
      throw Failure("\(database) is damaged: \(condition.damage.joined(separator: "; "))", isPermanent: true)
    }
    switch condition.version {
    case .current, .older: break
    case .newer: throw Failure("\(database) was written by a newer version of Sallyport; use that version", isPermanent: true)
    case .foreign: throw Failure("\(database) is not a Sallyport database", isPermanent: true)
    }
    let sealer = KeySealer(masterKey)
    guard condition.signingKeys.allSatisfy({ (try? sealer.open($0)) != nil }) else {
      throw Failure("the key file does not match \(database): its signing keys are encrypted with a different key")
    }
  }
}
