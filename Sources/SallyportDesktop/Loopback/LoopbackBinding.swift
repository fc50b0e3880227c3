import Sallyport
import SallyportProtocol
import SallyportSystem
import Synchronization

/// The listening sockets of one sign-in or sign-out, which share one port.
final class LoopbackBinding: Sendable {
  let port: UInt16
  /// The address families for which the port is bound, IPv4 first.
  let families: [SocketAddress.Family]
  private let descriptors: Mutex<[SocketHandle]?>

  /// How many ports to try until one is free for both address families.
  private static let attempts = 16

  /// Binds the same port for each of the given address families that this machine supports (RFC 8252 §7.3, rule C-10).
  /// - Parameter port: The port, or `nil` for any free port.
  /// - Throws: ``RedirectReceiverError/cannotBind(reason:)``
  static func bind(_ families: [SocketAddress.Family], port: UInt16?) throws(RedirectReceiverError) -> LoopbackBinding {
    for _ in 0..<self.attempts {
      if let binding = try self.bindOnce(families, port: port) { return binding }
    }
    throw .cannotBind(reason: "found no port that is free on both loopback addresses")
  }

  /// - Returns: `nil` if another attempt may find a port that is free for all families.
  private static func bindOnce(
    _ families: [SocketAddress.Family], port: UInt16?
  ) throws(RedirectReceiverError) -> LoopbackBinding? {
    var sockets: [(family: SocketAddress.Family, descriptor: SocketHandle)] = []
    var sharedPort = port
    do {
      for family in families {
        guard let socket = try Self.open(family, port: sharedPort ?? 0) else { continue }
        sharedPort = ListenerSocket.port(of: socket)
        sockets.append((family, socket.release()))
      }
    } catch {
      sockets.forEach { Descriptors.discard($0.descriptor) }
      // The free port of the first family is in use for the second family. The next attempt gets another free port.
      if port == nil, !sockets.isEmpty, error.isAddressInUse { return nil }
      throw .cannotBind(reason: port.map { "port \($0): \(error)" } ?? "\(error)")
    }
    guard let sharedPort, !sockets.isEmpty else {
      throw .cannotBind(reason: "this machine has no suitable loopback address")
    }
    return LoopbackBinding(port: sharedPort, families: sockets.map(\.family), descriptors: sockets.map(\.descriptor))
  }

  /// - Returns: `nil` if the machine has no loopback address of this family.
  private static func open(_ family: SocketAddress.Family, port: UInt16) throws(SystemError) -> OwnedDescriptor? {
    do {
      return try ListenerSocket.open(.loopback(family, port: port))
    } catch  where error.isUnsupportedAddress {
      return nil
    }
  }

  private init(port: UInt16, families: [SocketAddress.Family], descriptors: [SocketHandle]) {
    self.port = port
    self.families = families
    self.descriptors = Mutex(descriptors)
  }

  deinit {
    self.close()
  }

  /// Transfers ownership of the sockets to the caller, which must close them. Returns `nil` if they were already taken
  /// or closed.
  func take() -> [SocketHandle]? {
    self.descriptors.withLock { descriptors in
      defer { descriptors = nil }
      return descriptors
    }
  }

  func close() {
    self.take()?.forEach(Descriptors.discard)
  }
}
