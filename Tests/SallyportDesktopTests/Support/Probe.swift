import Glibc
import SallyportSystem
import Testing

@testable import SallyportDesktop

/// A process that a test starts, such as `DesktopProbe` or a shell. The test can read its standard output line by line.
final class Probe: Sendable {
  let process: pid_t
  private let output: Int32
  private let input: Int32

  /// The path of `DesktopProbe`, in the same folder as this test program.
  static var path: String {
    get throws {
      let own = try #require(FileSystemLink.target("/proc/self/exe"))
      return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/DesktopProbe"
    }
  }

  /// Starts a program. Its environment variables are `environment` and, if missing there, a default `PATH`.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    // Of the two ends of a pipe, the first is for reading and the second for writing.
    let (outEnds, inEnds) = (try Self.pipe(), try Self.pipe())
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    let launcher = ProcessLauncher(
      arguments, environment: environment.merging(["PATH": path]) { own, _ in own }, input: .descriptor(inEnds[0]),
      output: .descriptor(outEnds[1]), error: .inherited)
    let process = Result { () throws(SystemError) in try launcher.launch() }
    close(outEnds[1])
    close(inEnds[0])
    (self.output, self.input) = (outEnds[0], inEnds[1])
    self.process = try process.get()
  }

  /// Creates a pipe that the processes of other tests don't inherit, because they would keep it open.
  private static func pipe() throws -> [Int32] {
    typealias Pipe2 = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
    let program = try #require(SharedLibrary.thisProgram)
    let pipe2 = try #require(program.function("pipe2", as: Pipe2.self))
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    return ends
  }

  deinit {
    close(self.output)
    close(self.input)
    self.kill()
    var status: Int32 = 0
    waitpid(self.process, &status, 0)
  }

  /// Returns the next line of the output, or `nil` at its end.
  func line() async -> String? {
    await DedicatedThread.result("test") { () throws(Never) in
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while read(self.output, &byte, 1) == 1 {
        if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      }
      return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }.get()
  }

  /// Returns all remaining lines of the output.
  func lines() async -> [String] {
    var lines: [String] = []
    while let line = await self.line() { lines.append(line) }
    return lines
  }

  /// Sends an empty line to a process that waits for a line on its standard input.
  func sendLine() {
    _ = write(self.input, "\n", 1)
  }

  /// Kills the process immediately.
  func kill() {
    Glibc.kill(self.process, SIGKILL)
  }
}

enum FileSystemLink {
  static func target(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}
