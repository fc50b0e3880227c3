import Glibc
import Sallyport
import SallyportDesktop
import SallyportProtocol

/// The commands of `DesktopProbe` that use token stores.
enum StoreProbe {
  static let key = TokenStoreKey(kind: "grant", issuer: "https://issuer.example", clientID: "probe")

  /// Saves values whose bytes are all equal, until the process is killed. A value with different bytes would be a
  /// mixture of two saves.
  static func saveForever(folder: String) async throws {
    let store = EncryptedFileStore(folder: folder)
    var byte: UInt8 = 0
    while true {
      byte &+= 1
      try await store.save(Secret([UInt8](repeating: byte, count: 100_000)), for: self.key)
      if byte == 1 { self.printLine("saving") }
    }
  }

  /// Takes the lease and keeps it until the process is killed or its standard input ends.
  static func holdLease(folder: String) async throws {
    try await EncryptedFileStore(folder: folder).withLease(on: self.key) {
      self.printLine("held")
      while readLine() != nil {}
    }
  }

  /// Increments the number in a file a hundred times, each time under the lease.
  static func count(folder: String, file: String) async throws {
    let store = EncryptedFileStore(folder: folder)
    for _ in 0..<100 {
      try await store.withLease(on: self.key) {
        let stream = fopen(file, "r+")
        defer { fclose(stream) }
        var line = [CChar](repeating: 0, count: 64)
        let text = fgets(&line, 64, stream).map { String(cString: $0) } ?? ""
        // Suspends between the read and the write, so that another process could count here if the lease did not
        // prevent it.
        await Task.yield()
        rewind(stream)
        fputs("\((Int(text.prefix { $0.isNumber }) ?? 0) + 1)\n", stream)
      }
    }
  }

  /// Runs commands with the platform's store and prints their results.
  ///
  /// `application=NAME`, `account=NAME`, `kind=NAME`, and `report` apply to the commands after them. After `report`,
  /// the events of the store are printed too.
  static func run(commands: [String]) async {
    var key = self.key
    var application = ApplicationName.sallyport
    var reports = false
    for command in commands {
      let parts = command.split(separator: "=", maxSplits: 1).map(String.init)
      let value = parts.count > 1 ? parts[1] : ""
      switch parts[0] {
      case "application": application = ApplicationName(value) ?? .sallyport
      case "account": key.account = value
      case "kind": key.kind = value
      case "report": reports = true
      default:
        do {
          self.printLine("\(parts[0]): \(try await self.run(parts[0], value: value, key, application, reports))")
        } catch {
          self.printLine("\(parts[0]): error \(error)")
        }
      }
    }
  }

  private static func run(
    _ command: String, value: String, _ key: TokenStoreKey, _ application: ApplicationName, _ reports: Bool
  ) async throws -> String {
    let platform = PlatformTokenStore(application: application) { event in
      if reports { self.printLine("event: \(event)") }
    }
    switch command {
    case "place": return try await platform.place().rawValue
    case "status":
      let status = try await platform.status()
      let earlier = status.earlierPlace.map { ", earlier \($0.rawValue)" } ?? ""
      return "\(status.place.rawValue)\(earlier), recorded: \(status.isRecorded), reason: \(status.reason ?? "none")"
    case "save":
      try await platform.save(Secret(Array(value.utf8)), for: key)
      return "done"
    case "load": return try await self.text(platform.load(key))
    case "remove":
      try await platform.remove(key)
      return "done"
    case "lease": return try await platform.withLease(on: key) { "held" }
    case "load-secret-service": return try await self.text(SecretServiceStore(application: application).load(key))
    case "is-loaded": return self.maps().contains("libsecret") ? "yes" : "no"
    default: return "unknown"
    }
  }

  private static func text(_ value: Secret<[UInt8]>?) -> String {
    value.map { String(decoding: $0.reveal(), as: UTF8.self) } ?? "nothing"
  }

  /// The memory mappings of this process.
  private static func maps() -> String {
    let stream = fopen("/proc/self/maps", "r")
    defer { fclose(stream) }
    var text = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&text, 1, text.count, stream)
    return String(decoding: text[..<count], as: UTF8.self)
  }

  /// Prints a line immediately, without waiting for the output buffer to fill.
  static func printLine(_ line: String) {
    print(line)
    fflush(nil)
  }
}
