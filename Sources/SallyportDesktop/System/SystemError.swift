#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// What a failed system call left in `errno`.
struct SystemError: Error, Equatable, CustomStringConvertible {
  let code: Int32

  init(code: Int32 = errno) {
    self.code = code
  }

  /// The system's own words, which hold no path and no value.
  var description: String { String(cString: strerror(self.code)) }

  /// Repeats a call that returns −1 while a signal interrupts it.
  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}
