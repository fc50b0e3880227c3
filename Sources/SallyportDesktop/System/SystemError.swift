#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// What a failed system call left in `errno`, or on Windows as the last error of the thread.
struct SystemError: Error, Equatable, CustomStringConvertible {
  let code: Int32

  init(code: Int32) {
    self.code = code
  }

  init() {
    #if os(Windows)
      self.init(code: Int32(bitPattern: GetLastError()))
    #else
      self.init(code: errno)
    #endif
  }

  /// The system's own words, which hold no path and no value; on Windows the number.
  var description: String {
    #if os(Windows)
      "Windows error \(self.code)"
    #else
      String(cString: strerror(self.code))
    #endif
  }

  /// Repeats a call that returns −1 while a signal interrupts it.
  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || !SystemError().isInterrupted { return result }
    }
  }
}

#if os(Windows)
  // The numbers of winsock2.h.
  extension SystemError {
    var isInterrupted: Bool { self.code == 10004 }
    var isWouldBlock: Bool { self.code == 10035 }
    var isAddressInUse: Bool { self.code == 10048 || self.code == 10013 }
    /// The machine has no such address or family.
    var isNoAddress: Bool { [10047, 10049, 10043].contains(self.code) }
    /// The peer gave up before it was accepted.
    var isAborted: Bool { [10053, 10054].contains(self.code) }
    /// Something that all share is used up for now.
    var isExhausted: Bool { [10024, 10055].contains(self.code) }
  }
#else
  extension SystemError {
    var isInterrupted: Bool { self.code == EINTR }
    var isWouldBlock: Bool { self.code == EAGAIN || self.code == EWOULDBLOCK }
    var isAddressInUse: Bool { self.code == EADDRINUSE }
    /// The machine has no such address or family.
    var isNoAddress: Bool { [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(self.code) }
    /// The peer gave up before it was accepted.
    var isAborted: Bool { [ECONNABORTED, EPROTO].contains(self.code) }
    /// Something that all share is used up for now.
    var isExhausted: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(self.code) }
  }
#endif
