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

/// A connection to the receiver. Its request is still being read, or was rejected.
struct LoopbackConnection {
  enum Step {
    /// The connection stays open: its request is incomplete, or an error response was sent and the peer has not closed
    /// the connection yet. Call ``step()`` again when more data is available.
    case open
    /// A complete request head has been read.
    case request(RequestHead)
    /// The peer has closed the connection, reading failed, or the peer sent too much after the response. The caller
    /// must close the descriptor.
    case closed
  }

  private enum State {
    case reading(RequestReader)
    /// An error response was sent. The receiver waits for a short time, in which the peer can read the response and
    /// close the connection. After that, the receiver resets the connection (``Descriptors/reset(_:)``), and the peer
    /// loses what it has not read.
    case rejected(discarded: Int)
  }

  let descriptor: SocketHandle
  let peer: SocketAddress
  /// The time by which the connection is closed.
  private(set) var deadline: ContinuousClock.Instant
  private var state = State.reading(RequestReader())

  /// How many bytes a peer may still send after the response.
  private static let discardLimit = 64 << 10
  /// How long the peer may take to close the connection after the response.
  private static let closingTime = Duration.milliseconds(500)

  init(descriptor: SocketHandle, peer: SocketAddress, deadline: ContinuousClock.Instant) {
    self.descriptor = descriptor
    self.peer = peer
    self.deadline = deadline
  }

  /// Accepts the next connection without blocking. Child processes don't inherit the descriptor.
  /// - Returns: `nil` if `accept` failed; ``SystemError`` then has the reason. The peer is `nil` if its address is
  ///   neither IPv4 nor IPv6.
  static func accept(from listener: SocketHandle) -> (descriptor: SocketHandle, peer: SocketAddress?)? {
    var descriptor: SocketHandle?
    let peer = SocketAddress { address, length in
      let accepted = systemAccept(listener, address, length)
      guard Descriptors.isValid(accepted) else { return -1 }
      descriptor = accepted
      return 0
    }
    guard let descriptor else { return nil }
    Descriptors.prepare(descriptor)
    return (descriptor, peer)
  }

  /// Which user owns the peer's socket: this process's user, another user, or unknown. If the connection's own address
  /// cannot be read, the peer is treated like a peer of another user.
  var owner: PeerOwner {
    guard let local = SocketAddress(reading: { getsockname(self.descriptor, $0, $1) }) else { return .otherUser }
    return PeerOwner.of(peer: self.peer, local: local)
  }

  /// Whether an error response was sent.
  var isRejected: Bool {
    if case .rejected = self.state { true } else { false }
  }

  /// Reads the available data without blocking.
  mutating func step() -> Step {
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let count = SystemError.retrying { systemReceive(self.descriptor, &buffer) }
      if count < 0 { return SystemError().isWouldBlock ? .open : .closed }
      if count == 0 { return .closed }
      switch self.state {
      case .rejected(let discarded):
        guard discarded + count <= Self.discardLimit else { return .closed }
        self.state = .rejected(discarded: discarded + count)
      case .reading(var reader):
        let verdict = reader.read(buffer[..<count])
        self.state = .reading(reader)
        switch verdict {
        case .incomplete: continue
        case .complete(let head): return .request(head)
        case .rejected(let rejection): self.reject(rejection)
        }
      }
    }
  }

  /// Sends a short error response, after which the peer should close the connection. Failures are ignored.
  mutating func reject(_ rejection: RequestRejection) {
    let response = LoopbackResponse.rejection(rejection)
    _ = response.withUnsafeBytes { systemSend(self.descriptor, $0) }
    self.state = .rejected(discarded: 0)
    self.deadline = min(self.deadline, .now + Self.closingTime)
  }
}
