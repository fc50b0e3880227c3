#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whose process is at the other end of a loopback connection (rule C-35).
///
/// On Linux the kernel's table of TCP sockets tells (`/proc/net/tcp` and `tcp6`, of the network that this thread is in). Where
/// there is no such table, as on macOS or where `/proc` is not mounted, the system cannot tell and the answer is ``unknown``.
enum PeerOwner: Equatable, Sendable {
  case sameUser
  /// Another user's, or one that no process has open any more.
  case stranger
  case unknown

  static func of(peer: SocketAddress, local: SocketAddress) -> PeerOwner {
    #if os(Linux)
      // The table is read while it changes, and a row may be missed.
      for _ in 0..<3 {
        let tables = ["tcp", "tcp6"].compactMap(self.table)
        if tables.isEmpty { return .unknown }
        let row = tables.lazy.compactMap { SocketTable.row(in: $0, local: peer, remote: local) }.first
        if let row { return row.isOpen && row.user == geteuid() ? .sameUser : .stranger }
      }
      return .stranger
    #else
      return .unknown
    #endif
  }

  #if os(Linux)
    private static func table(_ name: String) -> [UInt8]? {
      // A socket belongs to the network namespace of the thread that made it, which need not be the process'.
      FileSystem.content("/proc/thread-self/net/\(name)") ?? FileSystem.content("/proc/net/\(name)")
    }
  #endif
}
