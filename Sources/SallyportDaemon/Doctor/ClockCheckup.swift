import FoundationEssentials
import Glibc
import SallyportProtocol

/// Checks the clock of this machine, because every expiration depends on it.
struct ClockCheckup {
  /// The largest difference between the clocks of two servers, or of a server and its database, that causes no
  /// problems.
  static var toleratedOffset: Duration { .seconds(5) }

  var now = Timestamp.now()
  /// Whether the kernel reports a synchronized clock. Nil if that is unknown.
  var isSynchronized = Self.kernelState()

  func findings() -> [Finding] {
    // 2026-01-01, which is earlier than the release of this version.
    guard self.now >= Timestamp(seconds: 1_767_225_600) else {
      return [
        .problem(
          "clock", "the clock is wrong (\(self.now.date.formatted(.iso8601))); synchronize it with systemd-timesyncd or chrony")
      ]
    }
    if self.isSynchronized == false {
      return [
        .warning(
          "clock",
          "the kernel reports that the clock is not synchronized; run systemd-timesyncd or chrony (for a container: on its host)"
        )
      ]
    }
    return [.ok("clock", self.isSynchronized == nil ? "the time is plausible" : "synchronized")]
  }

  /// Returns whether the kernel reports a synchronized clock; nil if that is unknown. Uses adjtimex(2), which the Glibc
  /// module does not include.
  private static func kernelState() -> Bool? {
    typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Int32
    guard let symbol = dlsym(nil, "adjtimex") else { return nil }
    let adjtimex = unsafeBitCast(symbol, to: Function.self)
    // Zeroed memory with room for a `struct timex` (208 bytes). If `modes` is 0, the call changes nothing, and its
    // result says whether the clock is synchronized.
    var state = [UInt64](repeating: 0, count: 64)
    let result = state.withUnsafeMutableBytes { $0.baseAddress.map(adjtimex) ?? -1 }
    // TIME_ERROR in <sys/timex.h>: the clock is not synchronized.
    let timeError: Int32 = 5
    return result < 0 ? nil : result != timeError
  }
}
