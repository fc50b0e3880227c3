import Foundation
import ServerTestSupport
import Synchronization

/// A process of `ServerCrashProbe`, which runs until it kills itself or is killed.
final class Probe: Sendable {
  private struct State {
    /// The number of the last request.
    var lastRequest = 0
    /// The pending requests by their numbers. The key `ready` stands for the start of the process.
    var waiting: [String: CheckedContinuation<String?, Never>] = [:]
    /// Whether the process has exited.
    var isGone = false
    /// The pending calls of `death()`.
    var deaths: [CheckedContinuation<Void, Never>] = []
  }

  /// The error for a process that ended before it had opened the database.
  struct StartFailed: Error {}

  private let input: FileHandle
  private let identifier: pid_t
  private let state = Mutex(State())

  /// Starts a process, and returns when it has opened the database.
  /// - Parameter oneIn: The average number of commits after which the process dies before it responds.
  init(database: TestDatabase, dyingOnceIn oneIn: Int) async throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = try Self.program("ServerCrashProbe")
    process.arguments = [database.location, "\(oneIn)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    self.input = input.fileHandleForWriting
    self.identifier = process.processIdentifier
    let reader = output.fileHandleForReading
    let thread = Thread { [weak self] in
      var buffer = Data()
      while true {
        let chunk = reader.availableData
        if chunk.isEmpty { break }
        buffer.append(chunk)
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          self?.handle(String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self))
          buffer.removeSubrange(...end)
        }
      }
      process.waitUntilExit()
      self?.end()
    }
    let firstLine = await withCheckedContinuation { continuation in
      self.state.withLock { $0.waiting["ready"] = continuation }
      thread.start()
    }
    guard firstLine != nil else { throw StartFailed() }
  }

  deinit { self.kill() }

  var isGone: Bool { self.state.withLock { $0.isGone } }

  func kill() {
    Foundation.kill(self.identifier, SIGKILL)
  }

  /// Returns when the process has exited.
  func death() async {
    await withCheckedContinuation { continuation in
      let isGone = self.state.withLock { state in
        if !state.isGone { state.deaths.append(continuation) }
        return state.isGone
      }
      if isGone { continuation.resume() }
    }
  }

  /// Sends the form of a token request.
  /// - Returns: The response, or `nil` if the process died before it responded.
  func ask(_ form: String) async -> String? {
    await withCheckedContinuation { continuation in
      let number = self.state.withLock { state -> Int? in
        guard !state.isGone else { return nil }
        state.lastRequest += 1
        state.waiting["\(state.lastRequest)"] = continuation
        return state.lastRequest
      }
      guard let number else { return continuation.resume(returning: nil) }
      // If the process has died, writing fails, and `end` completes the request.
      try? self.input.write(contentsOf: Data("\(number) \(form)\n".utf8))
    }
  }

  /// Completes the request whose number is the first word of the line, or the start of the process if the line is
  /// `ready`.
  private func handle(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let continuation = self.state.withLock { $0.waiting.removeValue(forKey: words.first ?? "") }
    continuation?.resume(returning: words.last)
  }

  /// Completes all pending requests without a response, because the process has ended.
  private func end() {
    let (waiting, deaths) = self.state.withLock { state in
      state.isGone = true
      defer { (state.waiting, state.deaths) = ([:], []) }
      return (Array(state.waiting.values), state.deaths)
    }
    for continuation in waiting { continuation.resume(returning: nil) }
    for continuation in deaths { continuation.resume() }
  }

  /// Returns the URL of the built program with this name, in the folder of this test program.
  static func program(_ name: String) throws -> URL {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
  }
}
