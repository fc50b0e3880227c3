import Sallyport
import SallyportProtocol
import Synchronization

/// The listening sockets of one sign-in and their common port.
final class LoopbackBinding: Sendable {
  let port: UInt16
  /// The families that are there, IPv4 first.
  let families: [SocketAddress.Family]
  private let descriptors: Mutex<[SocketHandle]?>

  /// How often a free port is taken before it turns out that the other family's is not free.
  private static let attempts = 16

  /// Binds the same port for each of the given families that this machine has (RFC 8252 §7.3, rule C-10).
  /// - Parameter port: nil for any free one.
  /// - Throws: ``RedirectReceiverError/cannotBind(reason:)``
  static func bind(_ families: [SocketAddress.Family], port: UInt16?) throws(RedirectReceiverError) -> LoopbackBinding {
    for _ in 0..<self.attempts {
      if let binding = try self.bindOnce(families, port: port) { return binding }
    }
    throw .cannotBind(reason: "no port is free on both loopback addresses")
  }

  /// - Returns: nil where another try may find a port that is free for all families.
  private static func bindOnce(
    _ families: [SocketAddress.Family], port: UInt16?
  ) throws(RedirectReceiverError) -> LoopbackBinding? {
    var bound: [(family: SocketAddress.Family, descriptor: SocketHandle)] = []
    var common = port
    do {
      for family in families {
        guard let socket = try Self.open(family, port: common ?? 0) else { continue }
        common = ListenerSocket.port(of: socket)
        bound.append((family, socket.release()))
      }
    } catch {
      bound.forEach { Descriptors.discard($0.descriptor) }
      if port == nil, !bound.isEmpty, error.isAddressInUse { return nil }
      throw .cannotBind(reason: port.map { "port \($0): \(error)" } ?? "\(error)")
    }
    guard let common, !bound.isEmpty else { throw .cannotBind(reason: "this machine has no such loopback address") }
    return LoopbackBinding(port: common, families: bound.map(\.family), descriptors: bound.map(\.descriptor))
  }

  /// - Returns: nil where the machine has no loopback address of this family.
  private static func open(_ family: SocketAddress.Family, port: UInt16) throws(SystemError) -> OwnedDescriptor? {
    do {
      return try ListenerSocket.open(.loopback(family, port: port))
    } catch  where error.isNoAddress {
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

  /// Hands the sockets over, once, to a caller that closes them.
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
