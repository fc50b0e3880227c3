#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whether the peer's socket of a loopback connection belongs to this process's user. A response from a process of
/// another user is rejected (rule C-35).
///
/// Linux lists the owners of TCP sockets in `/proc/net/tcp` and `tcp6` of the thread's network namespace. Windows lists
/// the process of each connection. On other systems, or if `/proc` is not mounted, the owner is ``unknown``. On WSL,
/// the owner is also unknown if the peer is a Windows program.
enum PeerOwner: Equatable, Sendable {
  case sameUser
  /// Another user owns the socket, no process has it open, or the system's tables don't contain it.
  case otherUser
  case unknown

  static func of(peer: SocketAddress, local: SocketAddress) -> PeerOwner {
    #if os(Linux)
      let isWSL = Environment.process.isWSL(.machine)
      // A table can change while it is read, so an existing row may be missing. Then the tables are read again.
      for _ in 0..<3 {
        let tables = ["tcp", "tcp6"].compactMap(self.table)
        if tables.isEmpty { return .unknown }
        let row = tables.lazy.compactMap { SocketTable.row(in: $0, local: peer, remote: local) }.first
        if let row { return self.owner(row, user: geteuid(), isWSL: isWSL) }
      }
      return self.owner(nil, user: geteuid(), isWSL: isWSL)
    #elseif os(Windows)
      return WindowsProcesses.owner(peer: peer, local: local)
    #else
      return .unknown
    #endif
  }

  /// The owner according to the system's tables.
  ///
  /// In the Windows Subsystem for Linux, the user's browser is a Windows program. It connects through a relay that
  /// belongs to root. If Linux shares the network of Windows (mirrored networking), the browser's socket has no row at
  /// all. In these cases the owner is unknown.
  /// - Parameters:
  ///   - row: The row of the peer's socket, or `nil` if the tables have none.
  ///   - user: The user ID of this process.
  ///   - isWSL: Whether this is the Windows Subsystem for Linux.
  static func owner(_ row: SocketTable.Row?, user: UInt32, isWSL: Bool) -> PeerOwner {
    guard let row else { return isWSL ? .unknown : .otherUser }
    if row.isOpen && row.user == user { return .sameUser }
    return isWSL && row.user == 0 ? .unknown : .otherUser
  }

  #if os(Linux)
    private static func table(_ name: String) -> [UInt8]? {
      // A socket belongs to the network namespace of the thread that created it. The namespaces of threads can differ.
      FileSystem.content("/proc/thread-self/net/\(name)") ?? FileSystem.content("/proc/net/\(name)")
    }
  #endif
}
