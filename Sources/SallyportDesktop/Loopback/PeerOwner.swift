#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whose process is at the other end of a loopback connection (rule C-35).
///
/// On Linux the kernel's table of TCP sockets tells (`/proc/net/tcp` and `tcp6`, of the network that this thread is in). Where
/// there is no such table, as on macOS or where `/proc` is not mounted, or where the other end is a Windows program (WSL), the system cannot tell and the answer is ``unknown``.
enum PeerOwner: Equatable, Sendable {
  case sameUser
  /// Another user's, or one that no process has open any more.
  case stranger
  case unknown

  static func of(peer: SocketAddress, local: SocketAddress) -> PeerOwner {
    #if os(Linux)
      let isWSL = Surroundings.isWSL(.process, .machine)
      // The table is read while it changes, and a row may be missed.
      for _ in 0..<3 {
        let tables = ["tcp", "tcp6"].compactMap(self.table)
        if tables.isEmpty { return .unknown }
        let row = tables.lazy.compactMap { SocketTable.row(in: $0, local: peer, remote: local) }.first
        if let row { return self.owner(row, user: geteuid(), isWSL: isWSL) }
      }
      return self.owner(nil, user: geteuid(), isWSL: isWSL)
    #else
      return .unknown
    #endif
  }

  /// What a row says, or the lack of one.
  ///
  /// In Windows' subsystem for Linux the person's browser is a Windows program: it comes through a relay that belongs to root, or,
  /// where the two share one network, has no row at all. There the system cannot tell.
  static func owner(_ row: SocketTable.Row?, user: UInt32, isWSL: Bool) -> PeerOwner {
    guard let row else { return isWSL ? .unknown : .stranger }
    if row.isOpen && row.user == user { return .sameUser }
    return isWSL && row.user == 0 ? .unknown : .stranger
  }

  #if os(Linux)
    private static func table(_ name: String) -> [UInt8]? {
      // A socket belongs to the network namespace of the thread that made it, which need not be the process'.
      FileSystem.content("/proc/thread-self/net/\(name)") ?? FileSystem.content("/proc/net/\(name)")
    }
  #endif
}
