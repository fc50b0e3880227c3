/// Parses Linux's `/proc/net/tcp` and `/proc/net/tcp6`.
enum SocketTable {
  struct Row: Equatable {
    let user: UInt32
    /// Whether a process has the socket open. A closed socket remains in the table for a while, with the user ID 0.
    let isOpen: Bool
  }

  /// Returns the row of the socket with these two addresses, or `nil` if there is none. For an IPv6 socket that
  /// communicates over IPv4, the table contains IPv4-mapped addresses, so both forms are compared.
  ///
  /// Counted from 0, columns 1 and 2 of a table are the local and the remote address, column 7 is the user ID, and
  /// column 9 is the inode, which is 0 for a closed socket.
  static func row(in table: [UInt8], local: SocketAddress, remote: SocketAddress) -> Row? {
    let addressPairs = [self.text(local, remote, mapped: false), self.text(local, remote, mapped: true)]
    let space = UInt8(ascii: " ")
    for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let fields = line.split(separator: space, maxSplits: 10)
      guard fields.count > 9, addressPairs.contains(where: { $0.elementsEqual(fields[1...2].joined(separator: [space])) }),
        let user = UInt32(String(decoding: fields[7], as: UTF8.self))
      else { continue }
      return Row(user: user, isOpen: !fields[9].elementsEqual([UInt8(ascii: "0")]))
    }
    return nil
  }

  /// The two addresses in the table's format.
  /// - Parameter mapped: Whether to write IPv4 addresses as IPv4-mapped IPv6 addresses.
  private static func text(_ local: SocketAddress, _ remote: SocketAddress, mapped: Bool) -> [UInt8] {
    Array("\(self.text(local, mapped: mapped)) \(self.text(remote, mapped: mapped))".utf8)
  }

  /// An address in the table's format: each 32-bit word in native byte order, and the port, in hexadecimal.
  private static func text(_ address: SocketAddress, mapped: Bool) -> String {
    let prefix = mapped && address.family == .ipv4 ? [0, 0, UInt32(0xFFFF).bigEndian] : []
    return (prefix + address.words).map { self.hex($0, digits: 8) }.joined() + ":" + self.hex(UInt32(address.port), digits: 4)
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
