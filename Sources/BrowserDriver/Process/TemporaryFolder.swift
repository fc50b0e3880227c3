#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lends a new folder that only this user can enter, and removes it with all it holds.
package func withTemporaryFolder<R>(
  isolation: isolated (any Actor)? = #isolation, _ body: (_ path: String) async throws -> R
) async throws -> R {
  // A short path: browsers put Unix sockets there, and those have room for 107 bytes.
  let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString.prefix(8))")
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}
