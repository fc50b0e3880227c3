import Glibc
import SallyportSystem
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A child process that runs in its own session and process group and writes its output to files.
///
/// Because the output goes to files, a child never blocks on output that nobody reads, and the output is available
/// after a failure. The process group is killed before the child is reaped, so that no signal goes to a process
/// identifier that the system has reused.
package final class ChildProcess: Sendable {
  package let identifier: Int32
  private let outputPath: String
  private let errorPath: String
  private let status = Mutex<ExitStatus?>(nil)

  /// Starts the program.
  /// - Parameter folder: An existing folder for the files of the standard streams.
  /// - Throws: ``SpawnError``
  package init(_ command: ChildCommand, folder: String) throws(SpawnError) {
    let name = "\(folder)/\(UUID().uuidString.prefix(8))-\(command.executable.split(separator: "/").last ?? "child")"
    self.outputPath = "\(name).out"
    self.errorPath = "\(name).err"
    do {
      try Data(command.input).write(to: URL(filePath: "\(name).in"))
    } catch {
      throw SpawnError(executable: command.executable, reason: "\(error)")
    }
    let launcher = ProcessLauncher(
      [command.executable] + command.arguments, environment: command.environment, input: .reading(path: "\(name).in"),
      output: .writing(path: self.outputPath), error: .writing(path: self.errorPath))
    do {
      self.identifier = try launcher.launch()
    } catch {
      throw SpawnError(executable: command.executable, reason: error.description)
    }
  }

  deinit { self.end() }

  /// The child's standard output so far.
  package var output: String { Self.read(self.outputPath) }
  /// The child's standard error so far.
  package var errorOutput: String { Self.read(self.errorPath) }

  /// How the child ended, or `nil` while it is running. The first use after the child's end kills its process group,
  /// and reaps the child.
  package var exitStatus: ExitStatus? {
    self.status.withLock { status in
      if status == nil, self.hasEnded { status = self.killGroupAndReap() }
      return status
    }
  }

  /// Sends a signal to the child, if it is still running.
  package func signal(_ number: Int32) {
    self.status.withLock { status in
      if status == nil { _ = kill(self.identifier, number) }
    }
  }

  /// Kills the child and its process group, and waits for the child's end.
  package func end() {
    let isRunning = self.status.withLock { status in
      // The child is not reaped yet, so no other process can have its identifier.
      if status == nil { _ = kill(-self.identifier, SIGKILL) }
      return status == nil
    }
    guard isRunning else { return }
    // Wait without the lock, so that other threads can use this object in the meantime.
    var information = siginfo_t()
    while waitid(P_PID, id_t(self.identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    // Reaps the child.
    _ = self.exitStatus
  }

  /// Waits until the child exits.
  /// - Throws: ``DeadlineError`` or `CancellationError`.
  package func waitForExit(within duration: Duration = .seconds(60)) async throws -> ExitStatus {
    try await eventually("process \(self.identifier) to exit", within: duration) { self.exitStatus }
  }

  /// Whether the child has ended. The check does not reap the child, so its identifier cannot be reused yet.
  private var hasEnded: Bool {
    var information = siginfo_t()
    // With WNOHANG, `waitid` also returns 0 if the child is still running. Then `si_signo` stays 0.
    return waitid(P_PID, id_t(self.identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == SIGCHLD
  }

  private func killGroupAndReap() -> ExitStatus {
    _ = kill(-self.identifier, SIGKILL)
    var word: Int32 = 0
    while waitpid(self.identifier, &word, 0) < 0, errno == EINTR {}
    return ExitStatus(word: word)
  }

  private static func read(_ path: String) -> String {
    (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
