/// A table of TCP connections in the form of `GetExtendedTcpTable`: `MIB_TCPTABLE_OWNER_PID` or
/// `MIB_TCP6TABLE_OWNER_PID`.
enum WindowsTCPTable {
  /// Returns the ID of the process that owns the socket with these local and remote addresses.
  /// - Parameter table: The number of rows as a 32-bit integer, followed by the rows.
  /// - Returns: `nil` if there is no such row.
  static func process(in table: [UInt8], local: SocketAddress, remote: SocketAddress) -> UInt32? {
    guard local.family == remote.family, table.count >= 4 else { return nil }
    let layout = local.family == .ipv4 ? Layout.ipv4 : .ipv6
    let count = min(Int(self.word(table, 0)), (table.count - 4) / layout.size)
    for row in 0..<count {
      let start = 4 + row * layout.size
      if self.address(table, start + layout.local, layout) == local, self.address(table, start + layout.remote, layout) == remote
      {
        return self.word(table, start + layout.process)
      }
    }
    return nil
  }

  /// The size of a row, and the positions of its members, in bytes.
  private struct Layout {
    let family: SocketAddress.Family
    let size: Int
    let local: Int
    let remote: Int
    /// The position of a port relative to its address. In an IPv6 row, the scope ID is between the two.
    let port: Int
    let process: Int

    static let ipv4 = Layout(family: .ipv4, size: 24, local: 4, remote: 12, port: 4, process: 20)
    static let ipv6 = Layout(family: .ipv6, size: 56, local: 0, remote: 24, port: 20, process: 52)
  }

  private static func address(_ table: [UInt8], _ position: Int, _ layout: Layout) -> SocketAddress {
    let words = (0..<(layout.family == .ipv4 ? 1 : 4)).map { self.word(table, position + $0 * 4) }
    // A port is the first two of four bytes, in network byte order.
    let port = UInt16(table[position + layout.port]) << 8 | UInt16(table[position + layout.port + 1])
    return SocketAddress(family: layout.family, words: words, port: port)
  }

  private static func word(_ table: [UInt8], _ position: Int) -> UInt32 {
    table.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt32.self) }
  }
}
