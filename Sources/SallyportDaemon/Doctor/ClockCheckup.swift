import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if os(Linux)
  import CTimex
#endif

/// Checks the clock of this machine, because every expiration depends on it.
struct ClockCheckup {
  var now = Timestamp.now()
  /// Whether the kernel reports a synchronized clock. Nil if that is unknown.
  var isSynchronised = Self.kernelState()

  func findings() -> [Finding] {
    // 2026-01-01, which is earlier than the release of this version.
    guard self.now >= Timestamp(seconds: 1_767_225_600) else {
      return [.problem("clock", "it is not \(self.now.date.formatted(.iso8601)): set the clock (systemd-timesyncd, chrony)")]
    }
    guard self.isSynchronised != false else {
      return [
        .warning(
          "clock",
          "nothing keeps the clock right, says the kernel; run systemd-timesyncd or chrony (in a container: on the machine itself)"
        )
      ]
    }
    return [.ok("clock", self.isSynchronised == nil ? "plausible" : "kept right, says the kernel")]
  }

  /// Reads the kernel's state with adjtimex(2).
  private static func kernelState() -> Bool? {
    #if os(Linux)
      var state = timex()
      let result = adjtimex(&state)
      return result < 0 ? nil : result != TIME_ERROR && state.status & STA_UNSYNC == 0
    #else
      return nil
    #endif
  }
}
