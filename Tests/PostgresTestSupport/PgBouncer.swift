import Foundation

/// PgBouncer in transaction mode, in front of a ``PostgresCluster``, with a Unix domain socket in the cluster's folder.
///
/// It stops when this object is deallocated or the process ends.
package final class PgBouncer: Sendable {
  private static let port = 6543

  private let cluster: PostgresCluster
  /// PgBouncer is killed when this handle is closed; see ``PostgresCluster/start(_:in:stoppedBy:)``.
  private let input: FileHandle

  /// Starts PgBouncer and waits until it accepts connections.
  /// - Parameter settings: Lines of the section `pgbouncer` in its configuration.
  package init(_ cluster: PostgresCluster, settings: [String] = []) throws {
    self.cluster = cluster
    let folder = "\(cluster.folder)/pgbouncer-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let lines =
      ["[databases]", "* = host=\(cluster.folder) user=postgres", "[pgbouncer]", "unix_socket_dir = \(cluster.folder)"] + [
        "listen_port = \(Self.port)", "auth_type = any", "pool_mode = transaction", "default_pool_size = 5",
      ] + settings
    let file = "\(folder)/pgbouncer.ini"
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    self.input = try PostgresCluster.start(
      PostgresCluster.owner().prefix + ["/usr/sbin/pgbouncer", file], in: folder, stoppedBy: "KILL")
    let socket = "\(cluster.folder)/.s.PGSQL.\(Self.port)"
    for _ in 0..<600 where !FileManager.default.fileExists(atPath: socket) { Thread.sleep(forTimeInterval: 0.1) }
    guard FileManager.default.fileExists(atPath: socket) else {
      let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "no log"
      throw PostgresCluster.Failure(description: "PgBouncer did not start: \(log)")
    }
  }

  deinit {
    try? self.input.close()
  }

  /// The URL of a database through PgBouncer.
  package func url(_ database: String) -> String {
    self.cluster.url(database) + "&port=\(Self.port)"
  }
}
