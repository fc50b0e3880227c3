import Glibc
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportDesktop

@Suite(.timeLimit(.minutes(3)))
struct EncryptedFileStoreTests {
  private let home = TemporaryFolder()
  private static let key = TokenStoreKey(kind: "grant", issuer: "https://issuer.example", clientID: "notes")
  private static let others = [
    TokenStoreKey(kind: "account", issuer: "https://issuer.example", clientID: "notes"),
    TokenStoreKey(kind: "grant", issuer: "https://issuer.example/", clientID: "notes"),
    TokenStoreKey(kind: "grant", issuer: "https://issuer.example", clientID: "note"),
    // If the parts of a key were joined without separators, this key would equal `key`.
    TokenStoreKey(kind: "granth", issuer: "ttps://issuer.example", clientID: "notes"),
    TokenStoreKey(kind: "", issuer: "", clientID: ""),
  ]

  private var folder: String { self.home.path + "/data" }
  private var store: EncryptedFileStore { EncryptedFileStore(folder: self.folder) }

  @Test("a value is stored for exactly its key, replaced as a whole, and removed")
  func values() async throws {
    #expect(try await self.load() == nil)
    try await self.save("one")
    for other in Self.others { #expect(try await self.load(other) == nil) }
    try await self.save("two")
    for other in Self.others { try await self.save("other \(other)", other) }
    #expect(try await self.load() == "two")
    for other in Self.others { #expect(try await self.load(other) == "other \(other)") }
    try await self.store.remove(Self.key)
    try await self.store.remove(Self.key)
    #expect(try await self.load() == nil)
    #expect(try await self.load(Self.others[0]) == "other \(Self.others[0])")
  }

  @Test("C-22: the folder has mode 0700, every file has mode 0600, and neither files nor file names show a secret or the issuer")
  func modesAndContent() async throws {
    // Without a umask, a file has exactly the mode that the store requests.
    umask(0)
    defer { umask(0o022) }
    try await self.save("a-refresh-token")
    try await self.store.withLease(on: Self.key) {}
    var status = stat()
    #expect(stat(self.folder, &status) == 0 && status.st_mode & 0o7777 == 0o700)
    let names = TemporaryFolder.names(in: self.folder)
    // The key, the value, and the lock file.
    #expect(names.count == 3)
    for name in names {
      #expect(self.home.mode("data/\(name)") == 0o600)
      let content = String(decoding: self.home.read("data/\(name)") ?? [], as: UTF8.self)
      #expect(!content.contains("a-refresh-token") && !content.contains("issuer") && !name.contains("issuer"))
    }
  }

  @Test(
    "C-22: a folder or file is rejected if another user owns it or can access it, or if it is a link or a pipe",
    arguments: UnsafeCondition.allCases)
  func unsafeConditions(_ condition: UnsafeCondition) async throws {
    try await self.save("one")
    let name = try #require(TemporaryFolder.names(in: self.folder).first { $0.hasSuffix(".sealed") })
    let file = "\(self.folder)/\(name)"
    let path: String
    // Each assignment also makes the unsafe change, and discards the result of the system call.
    switch condition {
    case .folderReadable: (path, _) = (self.folder, chmod(self.folder, 0o750))
    case .folderWritable: (path, _) = (self.folder, chmod(self.folder, 0o702))
    case .fileReadable: (path, _) = (file, chmod(file, 0o604))
    case .fileWritable: (path, _) = (file, chmod(file, 0o620))
    case .keyReadable: (path, _) = ("\(self.folder)/key", chmod("\(self.folder)/key", 0o640))
    case .folderIsLink:
      rename(self.folder, self.folder + "2")
      (path, _) = (self.folder, symlink(self.folder + "2", self.folder))
    case .fileIsLink:
      rename(file, file + "2")
      (path, _) = (file, symlink(file + "2", file))
    case .fileIsPipe:
      unlink(file)
      (path, _) = (file, mkfifo(file, 0o600))
    case .otherUsersFile: (path, _) = (file, chown(file, 65534, 65534))
    case .otherUsersFolder: (path, _) = (self.folder, chown(self.folder, 65534, 65534))
    }
    await #expect(throws: TokenStoreError.unsafePermissions(path: path)) { try await self.load() }
    if condition.concernsFolder {
      await #expect(throws: TokenStoreError.unsafePermissions(path: path)) { try await self.save("two") }
      await #expect(throws: TokenStoreError.unsafePermissions(path: path)) { try await self.store.withLease(on: Self.key) {} }
    }
  }

  enum UnsafeCondition: CaseIterable {
    case folderReadable, folderWritable, folderIsLink, otherUsersFolder
    case fileReadable, fileWritable, keyReadable, fileIsLink, fileIsPipe, otherUsersFile

    var concernsFolder: Bool { [.folderReadable, .folderWritable, .folderIsLink, .otherUsersFolder].contains(self) }
  }

  @Test("C-22: a modified, truncated, or swapped file is reported as damaged, and so is a file whose encryption key is missing")
  func damage() async throws {
    try await self.save("one")
    let name = try #require(TemporaryFolder.names(in: self.folder).first { $0.hasSuffix(".sealed") })
    let content = try #require(self.home.read("data/\(name)"))
    for offset in content.indices {
      var altered = content
      altered[offset] ^= 1
      self.home.write("data/\(name)", altered)
      await self.expectDamage()
      self.home.write("data/\(name)", Array(content[..<offset]))
      await self.expectDamage()
    }
    try await self.save("other", Self.others[0])
    self.home.write("data/\(name)", try #require(self.home.read("data/\(Self.others[0].fileName).sealed")))
    await self.expectDamage()
    self.home.write("data/\(name)", content)
    #expect(try await self.load() == "one")
    unlink("\(self.folder)/key")
    await self.expectDamage()
  }

  @Test("a key of the wrong length is replaced by the next save, and new values can then be read", arguments: [0, 31, 33])
  func keyOfWrongLength(length: Int) async throws {
    try await self.save("one")
    self.home.write("data/key", Array(repeating: 0, count: length))
    await self.expectDamage()
    try await self.save("two", Self.others[0])
    #expect(try await self.load(Self.others[0]) == "two")
    await self.expectDamage()
    try await self.save("three")
    #expect(try await self.load() == "three")
  }

  @Test("a file of more than 1 MiB is rejected")
  func oversizedFile() async throws {
    try await self.save("one")
    let name = try #require(TemporaryFolder.names(in: self.folder).first { $0.hasSuffix(".sealed") })
    self.home.write("data/\(name)", Array(repeating: 0, count: (1 << 20) + 1))
    await #expect(throws: TokenStoreError.damaged(reason: "a stored file is too large")) { try await self.load() }
  }

  @Test("a process that is killed at various points while it saves leaves a complete value")
  func killedWhileSaving() async throws {
    for round in 0..<12 {
      let probe = try Probe([try Probe.path, "save", self.folder])
      #expect(await probe.line() == "saving")
      for _ in 0..<(round * 1_000) { sched_yield() }
      probe.kill()
      _ = await probe.line()
      let key = TokenStoreKey(kind: "grant", issuer: "https://issuer.example", clientID: "probe")
      let value = try #require(try await self.store.load(key)).reveal()
      #expect(value.count == 100_000 && Set(value).count == 1)
    }
    try await self.save("still works")
    // Only the last process can have left a temporary file, because each process removes the file of the one before it.
    #expect(TemporaryFolder.names(in: self.folder).filter { $0.hasSuffix(".new") }.count <= 1)
  }

  @Test("concurrent first saves create only one encryption key")
  func firstSaves() async throws {
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<30 {
        group.addTask {
          let key = TokenStoreKey(kind: "\(index)", issuer: "", clientID: "")
          try? await EncryptedFileStore(folder: self.folder).save(Secret([UInt8(index)]), for: key)
        }
      }
    }
    for index in 0..<30 {
      let value = try await self.store.load(TokenStoreKey(kind: "\(index)", issuer: "", clientID: ""))
      #expect(value?.reveal() == [UInt8(index)])
    }
  }

  @Test(
    "the data folder is $XDG_DATA_HOME/{application} or, by default, in the home folder; a relative path is ignored",
    arguments: [
      (["XDG_DATA_HOME": "/d", "HOME": "/h"], "/d/com.example.notes"), (["HOME": "/h"], "/h/.local/share/com.example.notes"),
      (["XDG_DATA_HOME": "d", "HOME": "/h"], "/h/.local/share/com.example.notes"),
      (["XDG_DATA_HOME": "", "HOME": "/h"], "/h/.local/share/com.example.notes"),
      (["HOME": "h"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func dataFolder(_ variables: [String: String], _ folder: String?) {
    #expect(Environment(variables).dataFolder("com.example.notes") == folder)
  }

  private func expectDamage() async {
    do {
      let value = try await self.load()
      Issue.record("loaded \(value ?? "nothing")")
    } catch TokenStoreError.damaged {
    } catch {
      Issue.record(error)
    }
  }

  private func save(_ text: String, _ key: TokenStoreKey = Self.key) async throws {
    try await self.store.save(Secret(Array(text.utf8)), for: key)
  }

  private func load(_ key: TokenStoreKey = Self.key) async throws -> String? {
    try await self.store.load(key).map { String(decoding: $0.reveal(), as: UTF8.self) }
  }
}
