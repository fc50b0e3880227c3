import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if os(Linux)
  import CTimex
#endif

/// Whether this machine knows what time it is: everything that expires depends on it.
struct ClockCheckup {
  var now = Timestamp.now()
  /// Whether the kernel says that something keeps its clock right; nil where it does not tell.
  var isSynchronised = Self.kernelState()

  func findings() -> [Finding] {
    // 2026-01-01: before this version was there.
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

  /// adjtimex(2).
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
