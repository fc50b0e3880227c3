import Foundation
import Testing

/// The memory of this process, as Linux reports it.
enum ProcessMemory {
  /// Reads a field of `/proc/self/status`.
  /// - Parameter field: `VmHWM` for the highest memory use so far, or `RssAnon` for the current use without mapped
  ///   files.
  /// - Returns: The memory in KiB.
  static func kibibytes(_ field: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(field):") })
    return try #require(line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first)
  }
}
