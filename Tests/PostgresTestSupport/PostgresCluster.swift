package import Foundation
import Synchronization

/// A private PostgreSQL server with a Unix domain socket in a temporary folder.
///
/// The tests of a process share one server, unless they need other settings or damage the server. A server stops when
/// the test process ends, even if that process is killed: a shell stops the server at the end of the shell's standard
/// input, which comes from the test process.
package final class PostgresCluster: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The folder with the data, the socket, and the log.
  package let folder: String
  private let input: FileHandle

  /// The server that the tests of this process share. Data does not survive a crash of the machine.
  package static func shared() throws -> PostgresCluster {
    try self.sharing.withLock { shared in
      if let shared { return shared }
      let cluster = try PostgresCluster(settings: ["fsync=off", "synchronous_commit=on"])
      shared = cluster
      return cluster
    }
  }

  private static let sharing = Mutex<PostgresCluster?>(nil)

  /// Creates a server and waits until it accepts connections.
  /// - Parameter settings: Settings of PostgreSQL, each in the form `name=value`.
  package convenience init(settings: [String]) throws {
    try self.init(settings: settings) { folder, owner in
      try Self.run(
        owner.prefix + [
          "\(Self.programs())/initdb", "--pgdata=\(folder)/data", "--username=postgres", "--auth=trust", "--encoding=UTF8",
          "--locale=C", "--no-sync",
        ])
    }
  }

  /// Creates a server from the base backup and the archived write-ahead log of another server.
  /// - Parameters:
  ///   - other: The other server, whose settings include ``archiving``.
  ///   - time: The time up to which transactions are restored, in PostgreSQL's format.
  package convenience init(restoring other: PostgresCluster, until time: String) throws {
    let settings = [
      "fsync=off", "restore_command=cp \(other.folder)/archive/%f %p", "recovery_target_time=\(time)",
      "recovery_target_action=promote",
    ]
    try self.init(settings: settings) { folder, owner in
      try Self.run(owner.prefix + ["cp", "--archive", "\(other.folder)/backup", "\(folder)/data"])
      try Self.run(owner.prefix + ["touch", "\(folder)/data/recovery.signal"])
    }
  }

  private init(settings: [String], prepare: (_ folder: String, _ owner: (name: String, prefix: [String])) throws -> Void) throws {
    // The path of a socket is limited to 107 bytes, so it cannot be below a long TMPDIR.
    var template = Array("/tmp/sallyport-pg-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "cannot create a folder in /tmp") }
    self.folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let owner = try Self.owner()
    try Self.run(["chown", owner.name, self.folder])
    try prepare(self.folder, owner)
    let options = ["listen_addresses=", "unix_socket_directories=\(self.folder)", "max_connections=400"] + settings
    self.input = try Self.start(
      owner.prefix + ["\(Self.programs())/postgres", "-D", "\(self.folder)/data"] + options.flatMap { ["-c", $0] },
      in: self.folder)
    try self.waitUntilReady()
  }

  /// Makes statements that need a temporary file fail, as on a full disk. All other statements still succeed.
  package func rejectTemporaryFiles() throws {
    let path = "\(self.folder)/data/base/pgsql_tmp"
    try? FileManager.default.removeItem(atPath: path)
    // A file with the name of the folder for temporary files prevents PostgreSQL from creating the folder.
    try Data().write(to: URL(fileURLWithPath: path))
  }

  /// Settings with which a server archives its write-ahead log, in a folder beside its data.
  package static let archiving = [
    "fsync=off", "archive_mode=on", "archive_command=mkdir -p ../archive && cp %p ../archive/%f",
  ]

  /// Makes a base backup of a server with the settings ``archiving``.
  package func makeBaseBackup() throws {
    try Self.run(
      Self.owner().prefix + [
        "pg_basebackup", "--pgdata=\(self.folder)/backup", "--checkpoint=fast", "--wal-method=none", "--no-sync",
        "--host=\(self.folder)", "--username=postgres",
      ])
  }

  /// Waits until everything that was written so far has been archived.
  package func waitForArchive() throws {
    // PostgreSQL archives only files that it no longer writes to, so this query makes it start a new file.
    let file = try self.query("SELECT pg_walfile_name(pg_switch_wal())")
    for _ in 0..<600 {
      if FileManager.default.fileExists(atPath: "\(self.folder)/archive/\(file)") { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    throw Failure(description: "the write-ahead log is not archived")
  }

  /// Creates a database.
  package func makeDatabase(_ name: String) throws {
    try self.query("CREATE DATABASE \"\(name)\"")
  }

  /// The URL of a database of this server.
  package func url(_ database: String) -> String {
    "postgres://postgres@/\(database)?host=\(self.folder)"
  }

  /// Runs SQL as the superuser.
  /// - Returns: The output, without headers.
  @discardableResult
  package func query(_ sql: String, in database: String = "postgres") throws -> String {
    try Self.run([
      "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--host=\(self.folder)",
      "--username=postgres", "--command=\(sql)", database,
    ])
  }

  /// Kills the server with SIGKILL. The shell that runs the server starts it again.
  package func crash() throws {
    kill(try self.process(), SIGKILL)
  }

  /// Stops the main process and the processes in `pg_stat_activity` with SIGSTOP until ``resume(_:)``. The operating
  /// system still accepts new connections.
  /// - Returns: The processes that were stopped.
  package func freeze() throws -> [pid_t] {
    let sessions = try self.query("SELECT pid FROM pg_stat_activity").split(separator: "\n").compactMap { pid_t($0) }
    let processes = [try self.process()] + sessions
    for process in processes { kill(process, SIGSTOP) }
    return processes
  }

  package func resume(_ processes: [pid_t]) {
    for process in processes { kill(process, SIGCONT) }
  }

  private func process() throws -> pid_t {
    let file = try String(contentsOfFile: "\(self.folder)/data/postmaster.pid", encoding: .utf8)
    guard let process = file.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
      throw Failure(description: "the server's process is unknown: \(file)")
    }
    return process
  }

  // MARK: Programs

  private func waitUntilReady() throws {
    for _ in 0..<600 {
      if (try? self.query("SELECT 1")) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    let log = (try? String(contentsOfFile: "\(self.folder)/log", encoding: .utf8)) ?? "no log"
    throw Failure(description: "PostgreSQL did not start: \(log)")
  }

  /// The user that runs the server, and the words before a command that run it as this user. PostgreSQL refuses to run
  /// as root.
  static func owner() throws -> (name: String, prefix: [String]) {
    guard geteuid() == 0 else { return (NSUserName(), []) }
    let name = (try? self.run(["id", "postgres"])) == nil ? "nobody" : "postgres"
    return (name, ["setpriv", "--reuid=\(name)", "--regid=\(name == "nobody" ? "nogroup" : name)", "--clear-groups", "--"])
  }

  /// The folder of PostgreSQL's programs, which Debian does not put on the `PATH`.
  private static func programs() throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
    guard let newest = versions.max() else { throw Failure(description: "install the package 'postgresql'") }
    return "\(root)/\(newest)/bin"
  }

  /// A shell script that runs a server until the script's standard input ends, and starts the server again if the
  /// server ends earlier. The server runs in its own process session (`setsid`), so it does not receive the terminal's
  /// signals. The script keeps its own files in another folder, because the server's folder may be removed while the
  /// script runs.
  private static let supervision = """
    folder=$1; signal=$2; shift 2
    control=$(mktemp -d)
    {
      while [ ! -e "$control/end" ]; do
        sh -c 'echo $$ >"$0/process"; folder=$1; shift; exec setsid "$@" >>"$folder/log" 2>&1 </dev/null' \
          "$control" "$folder" "$@" 2>/dev/null
        sleep 0.1
      done
      rm "$control/process"
    } &
    cat
    touch "$control/end"
    while [ -e "$control/process" ]; do kill "-$signal" "$(cat "$control/process")" 2>/dev/null; sleep 0.1; done
    rm -rf "$folder" "$control"
    """

  /// Starts a server.
  /// - Parameter signal: The signal that stops the server immediately.
  /// - Returns: A file handle. When it is closed, the server stops, and its folder is removed.
  static func start(_ command: [String], in folder: String, stoppedBy signal: String = "QUIT") throws -> FileHandle {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", Self.supervision, "sh", folder, signal] + command
    process.standardInput = pipe
    process.currentDirectoryURL = URL(filePath: "/")
    try process.run()
    return pipe.fileHandleForWriting
  }

  @discardableResult
  private static func run(_ command: [String]) throws -> String {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    process.currentDirectoryURL = URL(filePath: "/")
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problems = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(command.joined(separator: " ")) failed: \(problems)")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
