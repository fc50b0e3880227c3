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

/// The error of a failed system call: `errno`, or the thread's last error on Windows.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  /// Creates the error of the system call that just failed on this thread.
  package init() {
    #if os(Windows)
      self.init(code: Int32(bitPattern: GetLastError()))
    #else
      self.init(code: errno)
    #endif
  }

  /// The system's error message, which contains no path or value. On Windows, the error number.
  package var description: String {
    #if os(Windows)
      "Windows error \(self.code)"
    #else
      String(cString: strerror(self.code))
    #endif
  }

  /// Makes a call that returns −1 on failure, and repeats it if it failed because a signal interrupted it.
  package static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || !SystemError().isInterrupted { return result }
    }
  }
}

#if os(Windows)
  // The error numbers of winsock2.h.
  extension SystemError {
    /// WSAEINTR.
    package var isInterrupted: Bool { self.code == 10004 }
    /// WSAEWOULDBLOCK.
    package var isWouldBlock: Bool { self.code == 10035 }
    /// WSAEADDRINUSE, or WSAEACCES if another program uses the address exclusively.
    package var isAddressInUse: Bool { self.code == 10048 || self.code == 10013 }
    /// The machine doesn't support this address or address family.
    /// WSAEAFNOSUPPORT, WSAEADDRNOTAVAIL, or WSAEPROTONOSUPPORT.
    package var isUnsupportedAddress: Bool { [10047, 10049, 10043].contains(self.code) }
    /// The peer closed the connection before it was accepted. WSAECONNABORTED or WSAECONNRESET.
    package var isAborted: Bool { [10053, 10054].contains(self.code) }
    /// A limited resource, such as descriptors or memory, is temporarily exhausted. WSAEMFILE or WSAENOBUFS.
    package var isExhausted: Bool { [10024, 10055].contains(self.code) }
  }
#else
  extension SystemError {
    package var isInterrupted: Bool { self.code == EINTR }
    package var isWouldBlock: Bool { self.code == EAGAIN || self.code == EWOULDBLOCK }
    package var isAddressInUse: Bool { self.code == EADDRINUSE }
    /// The machine doesn't support this address or address family.
    package var isUnsupportedAddress: Bool { [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(self.code) }
    /// The reader of a pipe has closed it.
    package var isBrokenPipe: Bool { self.code == EPIPE }
    /// The peer closed the connection before it was accepted.
    package var isAborted: Bool { [ECONNABORTED, EPROTO].contains(self.code) }
    /// A limited resource, such as descriptors or memory, is temporarily exhausted.
    package var isExhausted: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(self.code) }
  }
#endif
