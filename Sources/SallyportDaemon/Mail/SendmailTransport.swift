import FoundationEssentials
import Glibc
import SallyportServer
import SallyportSystem

/// Sends mail with a program that has the interface of `sendmail`: the program gets the message as its standard input,
/// and reads the recipient from the header. No shell is involved, and no argument depends on the message.
struct SendmailTransport: MailTransport {
  /// The program and its arguments.
  let command: [String]
  /// The time after which the program is killed. It must be shorter than the lease of a message (``MailDeliveries``).
  var timeout: Duration = .seconds(60)

  /// The maximum size of a message in bytes. A pipe normally holds 64 KiB, so writing a message does not block.
  private static var maximumSize: Int { 60 << 10 }

  /// How long to wait for the end of a killed program. A killed program ends at once, unless the system does not
  /// respond.
  private static var patience: Duration { .seconds(5) }

  func send(_ message: [UInt8]) async throws(MailTransportError) {
    guard message.count <= Self.maximumSize else { throw MailTransportError(reason: "the message is too long") }
    let process = try self.start(message)
    switch await self.wait(for: process) {
    case .ended(0): return
    case .ended(let status): throw MailTransportError(reason: "the mail command ended with \(Self.words(for: status))")
    case .timedOut:
      throw MailTransportError(reason: "the mail command did not finish within \(self.timeout) and was stopped")
    case .canceled: throw MailTransportError(reason: "the server stopped before the mail command finished")
    case .unknown: throw MailTransportError(reason: "the status of the mail command cannot be read")
    }
  }

  /// Starts the program with the message as its standard input.
  /// - Returns: The identifier of the process and of its process group.
  private func start(_ message: [UInt8]) throws(MailTransportError) -> pid_t {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw MailTransportError(reason: FileSystem.systemError) }
    defer { close(ends[0]) }
    // Other programs that the server starts later do not inherit the pipe. (Swift does not offer `pipe2`.)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let writtenCount = message.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    guard writtenCount == message.count else {
      throw MailTransportError(reason: "the message was not passed to the mail command")
    }
    do throws(SystemError) {
      return try ProcessLauncher(self.command, environment: Self.environment, input: .descriptor(ends[0])).launch()
    } catch {
      throw MailTransportError(reason: "the mail command cannot be started: \(error)")
    }
  }

  /// The environment of `sallyportd` without its settings and PostgreSQL's variables, which can contain passwords, and
  /// without systemd's notification socket, which is only for the server.
  private static var environment: [String: String] {
    ProcessInfo.processInfo.environment.filter { name, _ in self.isPassedOn(name) }
  }

  static func isPassedOn(_ variable: String) -> Bool {
    !variable.hasPrefix(Setting.variablePrefix) && !variable.hasPrefix("PG") && variable != "NOTIFY_SOCKET"
  }

  /// How the program ended.
  private enum End {
    /// - Parameter status: The status of `waitpid`.
    case ended(_ status: Int32)
    /// The program was killed after ``timeout``.
    case timedOut
    /// The program was killed, because the task was canceled.
    case canceled
    /// `waitpid` failed.
    case unknown
  }

  /// Waits until the process ends, and kills its group if it takes too long or the task is canceled.
  private func wait(for process: pid_t) async -> End {
    if let end = await Self.wait(for: process, until: .now + self.timeout) { return end }
    let isCanceled = Task.isCancelled
    kill(-process, SIGKILL)
    // The pauses of a canceled task end immediately, so another task waits.
    _ = await Task { await Self.wait(for: process, until: .now + Self.patience) }.value
    return isCanceled ? .canceled : .timedOut
  }

  /// - Returns: Nil if the process has not ended by the deadline, or the task is canceled.
  private static func wait(for process: pid_t, until deadline: ContinuousClock.Instant) async -> End? {
    var pause = Duration.milliseconds(5)
    var status: Int32 = 0
    while true {
      let result = waitpid(process, &status, WNOHANG)
      if result == process { return .ended(status) }
      if result < 0, errno != EINTR { return .unknown }
      if Task.isCancelled || ContinuousClock.now >= deadline { return nil }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(200))
    }
  }

  /// - Parameter status: The status of `waitpid`: a signal in the lowest 7 bits, or else an exit status in the next
  ///   byte.
  private static func words(for status: Int32) -> String {
    let signal = status & 0x7F
    return signal == 0 ? "exit status \((status >> 8) & 0xFF)" : "signal \(signal)"
  }
}
