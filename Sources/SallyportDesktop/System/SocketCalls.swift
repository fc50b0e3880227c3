import SallyportSystem

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

/// The event to wait for on a socket.
enum Readiness {
  case read, write
}

/// Waits until at least one of the descriptors is ready.
/// - Parameter timeout: In milliseconds, or −1 for no limit.
/// - Returns: The ready descriptors, or `nil` if the call failed. The set is empty after a timeout, or if a signal
///   interrupted the call.
func systemPoll(_ descriptors: [SocketHandle], _ readiness: Readiness, timeout: Int32) -> Set<SocketHandle>? {
  #if os(Windows)
    // POLLRDNORM and POLLWRNORM
    let events: Int16 = readiness == .read ? 0x0100 : 0x0010
    var entries = descriptors.map { WSAPOLLFD(fd: $0, events: events, revents: 0) }
    let count = WSAPoll(&entries, ULONG(entries.count), timeout)
  #else
    let events = Int16(readiness == .read ? POLLIN : POLLOUT)
    var entries = descriptors.map { pollfd(fd: $0, events: events, revents: 0) }
    let count = poll(&entries, nfds_t(entries.count), timeout)
  #endif
  if count < 0 { return SystemError().isInterrupted ? [] : nil }
  return count > 0 ? Set(entries.lazy.filter { $0.revents != 0 }.map(\.fd)) : []
}

/// `accept(2)`, with a name that isn't hidden by methods called `accept`.
func systemAccept(
  _ listener: SocketHandle, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> SocketHandle {
  accept(listener, address, length)
}

/// `recv(2)`. Returns the number of bytes, 0 at the end of the stream, or −1 on an error.
func systemReceive(_ descriptor: SocketHandle, _ buffer: inout [UInt8]) -> Int {
  buffer.withUnsafeMutableBytes { bytes in
    #if os(Windows)
      Int(recv(descriptor, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), 0))
    #else
      recv(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
  }
}

/// `send(2)`, without SIGPIPE if the peer has closed the connection. Returns the number of bytes, or −1 on an error.
func systemSend(_ descriptor: SocketHandle, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if os(Windows)
    Int(send(descriptor, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), 0))
  #elseif canImport(Darwin)
    // SO_NOSIGPIPE is set on the socket.
    send(descriptor, bytes.baseAddress, bytes.count, 0)
  #else
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}

/// Blocks until the descriptor is ready. Returns `false` if the deadline passes first or waiting fails.
func waitUntilReady(_ descriptor: SocketHandle, _ readiness: Readiness, deadline: ContinuousClock.Instant) -> Bool {
  while true {
    let timeLeft = ContinuousClock.now.milliseconds(until: deadline)
    guard let ready = systemPoll([descriptor], readiness, timeout: timeLeft) else { return false }
    if !ready.isEmpty { return true }
    if timeLeft == 0 { return false }
  }
}

extension ContinuousClock.Instant {
  /// The time until `end` in whole milliseconds, rounded up, or 0 if it has passed.
  func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let parts = self.duration(to: end).components
    // A millisecond has 10^15 attoseconds.
    let (whole, rest) = parts.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
    return Int32(clamping: max(0, parts.seconds * 1000 + whole + (rest > 0 ? 1 : 0)))
  }
}
