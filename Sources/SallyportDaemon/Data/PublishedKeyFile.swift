import FoundationEssentials
import Glibc
import Logging
import SallyportServer

/// A file with the published keys of a server whose database is in PostgreSQL. A server that starts while the database
/// is unavailable publishes these keys, so that APIs can verify tokens. The file contains no private keys.
struct PublishedKeyFile: PublishedKeyCopy {
  let path: String
  let logger: Logger

  func load() -> [PublishedKey]? {
    FileManager.default.contents(atPath: self.path).flatMap { try? JSONDecoder().decode([PublishedKey].self, from: $0) }
  }

  /// Replaces the file. The content is written under a temporary name, so that no process reads an incomplete file.
  func save(_ keys: [PublishedKey]) {
    let temporary = "\(self.path).\(getpid())"
    unlink(temporary)
    do {
      try FileSystem.write(Array(try JSONEncoder().encode(keys)), to: temporary)
      try FileSystem.move(temporary, to: self.path)
    } catch {
      unlink(temporary)
      self.logger.warning("cannot save the published keys", metadata: ["error": "\((error as? Failure)?.message ?? "\(error)")"])
    }
  }
}
