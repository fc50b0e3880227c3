#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// `poll(2)` under a name that methods called `poll` do not hide.
func systemPoll(_ entries: inout [pollfd], _ count: nfds_t, _ timeout: Int32) -> Int32 {
  poll(&entries, count, timeout)
}

/// `accept(2)` under a name that methods called `accept` do not hide.
func systemAccept(
  _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 {
  accept(listener, address, length)
}

/// `send(2)`, without SIGPIPE where the peer is gone.
func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
    // SO_NOSIGPIPE is set on the socket.
    send(descriptor, bytes.baseAddress, bytes.count, 0)
  #else
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}

/// Blocks until the descriptor is ready for one of the events; false where the time was over first.
func waitUntilReady(_ descriptor: Int32, _ events: Int32, deadline: ContinuousClock.Instant) -> Bool {
  while true {
    var entries = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
    let count = systemPoll(&entries, 1, ContinuousClock.now.milliseconds(until: deadline))
    if count > 0 { return true }
    if count == 0 || errno != EINTR { return false }
  }
}

extension ContinuousClock.Instant {
  /// Whole milliseconds, rounded up, as `poll` takes them; 0 for what has passed.
  func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let parts = self.duration(to: end).components
    let (whole, rest) = parts.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
    return Int32(clamping: max(0, parts.seconds * 1000 + whole + (rest > 0 ? 1 : 0)))
  }
}
