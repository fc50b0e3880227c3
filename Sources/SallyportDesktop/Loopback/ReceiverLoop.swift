import Sallyport
import SallyportProtocol
import SallyportSystem

/// Waits on the listening sockets for the one HTTP request that carries the authorization response, and rejects all
/// other requests.
///
/// The loop runs on a separate thread. No other connection can end or block the wait: all connections are read without
/// blocking, each has a deadline, and if there are too many, one of them is closed (rule C-16). Connections that the
/// receiver closes before the peer does are reset, so that a fixed port can be bound again at once.
struct ReceiverLoop: ~Copyable {
  private let listeners: [SocketHandle]
  private let stop: StopSignal
  private let target: RedirectTarget
  private let limits: ReceiverLimits
  private let accepts: @Sendable (String) -> Bool
  private var connections: [LoopbackConnection] = []

  /// Takes ownership of the listening sockets. The sockets, and all connections except the accepted one, are closed
  /// when the loop is destroyed.
  /// - Parameter accepts: Whether a callback URL has the state of the sign-in.
  init(
    listeners: [SocketHandle], stop: StopSignal, target: RedirectTarget, limits: ReceiverLimits,
    accepts: @escaping @Sendable (String) -> Bool
  ) {
    self.listeners = listeners
    self.stop = stop
    self.target = target
    self.limits = limits
    self.accepts = accepts
  }

  deinit {
    self.listeners.forEach(Descriptors.discard)
    self.connections.forEach { Descriptors.reset($0.descriptor) }
  }

  /// Blocks until the response arrives.
  /// - Throws: `CancellationError` if the loop was stopped, or ``RedirectReceiverError`` if a system call fails.
  mutating func run() throws -> AcceptedRedirect {
    while true {
      let ready = try self.poll(
        self.listeners + self.connections.map(\.descriptor), until: self.connections.map(\.deadline).min())
      if let accepted = self.readConnections(ready) { return accepted }
      for listener in self.listeners where ready.contains(listener) {
        if let accepted = try self.acceptConnections(from: listener) { return accepted }
      }
    }
  }

  /// Blocks until one of the descriptors is readable or the deadline has passed.
  private func poll(_ descriptors: [SocketHandle], until deadline: ContinuousClock.Instant?) throws -> Set<SocketHandle> {
    let timeout = deadline.map { ContinuousClock.now.milliseconds(until: $0) } ?? -1
    guard let ready = systemPoll([self.stop.descriptor] + descriptors, .read, timeout: timeout) else {
      throw RedirectReceiverError.failed(reason: "waiting for a connection failed: \(SystemError())")
    }
    if ready.contains(self.stop.descriptor) { throw CancellationError() }
    return ready
  }

  /// Reads the connections in `ready`. Closes the other connections whose deadline has passed.
  /// - Returns: The response, if one of the connections carried it.
  private mutating func readConnections(_ ready: Set<SocketHandle>) -> AcceptedRedirect? {
    let now = ContinuousClock.now
    var rest = self.connections[...]
    self.connections = []
    while let connection = rest.popFirst() {
      if ready.contains(connection.descriptor) {
        if let accepted = self.handle(connection) {
          self.connections += rest
          return accepted
        }
      } else if connection.deadline <= now {
        Descriptors.reset(connection.descriptor)
      } else {
        self.connections.append(connection)
      }
    }
    return nil
  }

  /// Accepts waiting connections and reads them immediately.
  ///
  /// A browser sends its request as soon as it is connected. The request is therefore usually read before other
  /// programs can displace the browser's connection by opening many more connections.
  /// - Returns: The response, if one of the connections carried it.
  private mutating func acceptConnections(from listener: SocketHandle) throws -> AcceptedRedirect? {
    // Return after this number of connections, so that a flood of connections cannot keep `run()` from noticing the
    // stop signal.
    for _ in 0..<self.limits.connections {
      guard let (descriptor, peer) = LoopbackConnection.accept(from: listener) else {
        switch SystemError() {
        case let error where error.isWouldBlock: return nil
        case let error where error.isInterrupted || error.isAborted: continue
        case let error where error.isExhausted:
          // The system has no free descriptors or memory: close a connection, or wait briefly.
          if !self.dropOldest() { _ = try self.poll([], until: .now + .milliseconds(50)) }
          return nil
        case let error: throw RedirectReceiverError.failed(reason: "accepting a connection failed: \(error)")
        }
      }
      guard let peer, peer.isLoopback else {
        Descriptors.discard(descriptor)
        continue
      }
      if self.connections.count >= self.limits.connections { _ = self.dropOldest() }
      let connection = LoopbackConnection(descriptor: descriptor, peer: peer, deadline: .now + self.limits.connectionTime)
      if let accepted = self.handle(connection) { return accepted }
    }
    return nil
  }

  /// Closes the oldest of the connections to which an error response was sent. If there are none, closes the oldest of
  /// all connections.
  /// - Returns: `false` if there are no connections.
  private mutating func dropOldest() -> Bool {
    guard let oldest = self.connections.firstIndex(where: \.isRejected) ?? self.connections.indices.first else { return false }
    Descriptors.reset(self.connections.remove(at: oldest).descriptor)
    return true
  }

  /// Reads a connection, then keeps it, closes it, or accepts its request as the response, which is returned.
  private mutating func handle(_ connection: LoopbackConnection) -> AcceptedRedirect? {
    var connection = connection
    switch connection.step() {
    case .closed:
      Descriptors.discard(connection.descriptor)
    case .open:
      self.connections.append(connection)
    case .request(let head):
      switch self.validate(head, from: connection) {
      case .success(let callbackURL):
        return AcceptedRedirect(
          descriptor: connection.descriptor, callbackURL: Secret(callbackURL), acceptLanguage: head.acceptLanguage)
      case .failure(let rejectedRequest):
        connection.reject(rejectedRequest.rejection)
        self.connections.append(connection)
      }
    }
    return nil
  }

  /// Returns the callback URL if the request carries the response. The check that the peer belongs to the same user
  /// comes last, because it is expensive and only necessary for a request with the right state.
  private func validate(_ head: RequestHead, from connection: LoopbackConnection) -> Result<String, RejectedRequest> {
    self.target.callbackURL(of: head).flatMap { callbackURL in
      guard self.accepts(callbackURL) else { return .failure(RejectedRequest(.notFound)) }
      guard connection.owner != .otherUser else { return .failure(RejectedRequest(.otherUser)) }
      return .success(callbackURL)
    }
  }
}

/// The accepted response, and the connection on which the browser waits for the last page.
struct AcceptedRedirect: Sendable {
  let descriptor: SocketHandle
  let callbackURL: Secret<String>
  /// The value of the browser's Accept-Language field, or `nil` if it is missing.
  let acceptLanguage: String?
}
