import Foundation

/// Whether a process with this number is there and has not ended.
func isRunning(_ identifier: Int32) -> Bool {
  guard let stat = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8) else { return false }
  // proc(5): the state stands after the name, which is in brackets; Z has ended and waits to be reaped.
  return stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst().first != "Z"
}
