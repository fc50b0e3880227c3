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

/// One connection to the receiver, before anybody knows whether it brings the answer.
struct LoopbackConnection {
  enum Step {
    /// Come back when there is more to read.
    case open
    /// A whole request head is there.
    case request(RequestHead)
    case closed
  }

  private enum State {
    case reading(RequestReader)
    /// Was answered; the peer closes first, so that it surely has read the answer and this side keeps no TIME_WAIT, in which
    /// a fixed port could not be bound again.
    case answered(discarded: Int)
  }

  let descriptor: SocketHandle
  let peer: SocketAddress
  /// When it is closed at the latest.
  private(set) var deadline: ContinuousClock.Instant
  private var state = State.reading(RequestReader())

  /// How much an answered peer may go on sending.
  private static let discardLimit = 64 << 10
  private static let lingering = Duration.milliseconds(500)

  init(descriptor: SocketHandle, peer: SocketAddress, deadline: ContinuousClock.Instant) {
    self.descriptor = descriptor
    self.peer = peer
    self.deadline = deadline
  }

  /// Takes the next waiting connection, never blocking, and closed in the programs that this one starts.
  /// - Returns: nil where `accept` failed, with its ``SystemError``; the peer is nil where it is neither IPv4 nor IPv6.
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

  /// Whose process is at the other end.
  var owner: PeerOwner {
    guard let local = SocketAddress(reading: { getsockname(self.descriptor, $0, $1) }) else { return .stranger }
    return PeerOwner.of(peer: self.peer, local: local)
  }

  var isAnswered: Bool {
    if case .answered = self.state { true } else { false }
  }

  /// Reads what is there, without blocking.
  mutating func step() -> Step {
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let count = SystemError.retrying { systemReceive(self.descriptor, &buffer) }
      if count < 0 { return SystemError().isWouldBlock ? .open : .closed }
      if count == 0 { return .closed }
      switch self.state {
      case .answered(let discarded):
        guard discarded + count <= Self.discardLimit else { return .closed }
        self.state = .answered(discarded: discarded + count)
      case .reading(var reader):
        let verdict = reader.read(buffer[..<count])
        self.state = .reading(reader)
        switch verdict {
        case .incomplete: continue
        case .complete(let head): return .request(head)
        case .refused(let refusal): self.refuse(refusal)
        }
      }
    }
  }

  /// Sends a short answer and lets the peer close. A peer that does not take it gets none.
  mutating func refuse(_ refusal: Refusal) {
    let answer = HTTPAnswer.refusal(refusal)
    _ = answer.withUnsafeBytes { systemSend(self.descriptor, $0) }
    self.state = .answered(discarded: 0)
    self.deadline = min(self.deadline, .now + Self.lingering)
  }
}
