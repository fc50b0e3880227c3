#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Creates a folder that only this user can access. After `body` returns or throws, removes the folder with its
/// content.
package func withTemporaryFolder<R>(
  isolation: isolated (any Actor)? = #isolation, _ body: (_ path: String) async throws -> R
) async throws -> R {
  // The path must be short: browsers create Unix sockets in the folder, and Linux limits the paths of Unix
  // sockets to 107 bytes.
  let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString.prefix(8))")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}
