package import Foundation
import Synchronization

/// A network with a long round-trip time between a store and a ``PostgresCluster``.
///
/// Listens on its own Unix domain socket in the cluster's folder, forwards the connections to the cluster, and delays
/// what the store sends. Stops when this object is deallocated.
package final class SlowNetwork: Sendable {
  private final class State: Sendable {
    let connections = Mutex(0)
    let messages = Mutex(0)
    /// The sockets of blocked connections, which stay open without a response; nil if new connections are forwarded.
    let blocked = Mutex<[Int32]?>(nil)

    deinit {
      for descriptor in self.blocked.withLock({ $0 ?? [] }) { close(descriptor) }
    }

    /// - Returns: Whether the connection is blocked.
    func keepIfBlocked(_ client: Int32) -> Bool {
      self.blocked.withLock { blocked in
        blocked?.append(client)
        return blocked != nil
      }
    }
  }

  /// The sockets of one connection. They are closed when both directions have ended.
  private final class Connection: Sendable {
    let client: Int32
    let server: Int32
    let state: State

    init(client: Int32, server: Int32, state: State) {
      self.client = client
      self.server = server
      self.state = state
    }

    deinit {
      close(self.client)
      close(self.server)
    }

    /// Delays and copies what the store sends.
    func forwardRequests(delay: TimeInterval) {
      self.forward(from: self.client, to: self.server) {
        self.state.messages.withLock { $0 += 1 }
        Thread.sleep(forTimeInterval: delay)
      }
    }

    func forwardResponses() {
      self.forward(from: self.server, to: self.client) {}
    }

    /// Copies data until one side closes the connection, and then ends the other direction too.
    private func forward(from source: Int32, to target: Int32, prepare: () -> Void) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(source, &buffer, buffer.count), count > 0 {
        prepare()
        guard send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
      }
      shutdown(self.client, Int32(SHUT_RDWR))
      shutdown(self.server, Int32(SHUT_RDWR))
    }
  }

  private static let defaultPort = 5432
  private static let port = 6544

  private let cluster: PostgresCluster
  private let listener: Int32
  private let state = State()

  /// - Parameter delay: How long each message from the store takes, in seconds.
  package init(_ cluster: PostgresCluster, delay: TimeInterval) throws {
    self.cluster = cluster
    let path = "\(cluster.folder)/.s.PGSQL.\(Self.port)"
    unlink(path)
    self.listener = try Self.makeSocket(path, bind)
    guard listen(self.listener, 16) == 0 else { throw Self.failure }
    let target = "\(cluster.folder)/.s.PGSQL.\(Self.defaultPort)"
    Thread.detachNewThread { [listener, state] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        state.connections.withLock { $0 += 1 }
        if state.keepIfBlocked(client) { continue }
        guard let server = try? Self.makeSocket(target, connect) else {
          close(client)
          continue
        }
        let connection = Connection(client: client, server: server, state: state)
        Thread.detachNewThread { connection.forwardRequests(delay: delay) }
        Thread.detachNewThread { connection.forwardResponses() }
      }
    }
  }

  deinit {
    // Only `shutdown` ends the call of `accept` that waits in the other thread.
    shutdown(self.listener, Int32(SHUT_RDWR))
    close(self.listener)
  }

  /// The URL of a database over this network.
  package func url(_ database: String) -> String {
    self.cluster.url(database) + "&port=\(Self.port)"
  }

  /// From now on, new connections get no response.
  package func blockNewConnections() {
    self.state.blocked.withLock { $0 = [] }
  }

  /// How many connections were opened.
  package var openedConnections: Int { self.state.connections.withLock { $0 } }

  /// How many messages the store has sent. A message is what the store sends before it waits for a response.
  package var messages: Int { self.state.messages.withLock { $0 } }

  private static var failure: PostgresCluster.Failure {
    PostgresCluster.Failure(description: "the socket failed: \(String(cString: strerror(errno)))")
  }

  /// Creates a Unix domain socket, and binds or connects it.
  private static func makeSocket(
    _ path: String, _ attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        attach(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let failure = Self.failure
      close(descriptor)
      throw failure
    }
    return descriptor
  }
}
