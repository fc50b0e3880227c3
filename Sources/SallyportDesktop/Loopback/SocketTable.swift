/// Rows of Linux's `/proc/net/tcp` and `/proc/net/tcp6`.
enum SocketTable {
  struct Row: Equatable {
    let user: UInt32
    /// Whether a process has the socket open. The row of a closed one, which lingers in the kernel, names the user 0.
    let isOpen: Bool
  }

  /// The row of the socket with these two ends. An IPv6 socket that speaks IPv4 is found by its IPv4-mapped address.
  static func row(in table: [UInt8], local: SocketAddress, remote: SocketAddress) -> Row? {
    let ends = [self.text(local, remote, mapped: false), self.text(local, remote, mapped: true)]
    for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
      guard fields.count > 9, ends.contains(where: { $0.elementsEqual(fields[1...2].joined(separator: [0x20])) }),
        let user = UInt32(String(decoding: fields[7], as: UTF8.self))
      else { continue }
      return Row(user: user, isOpen: !fields[9].elementsEqual([UInt8(ascii: "0")]))
    }
    return nil
  }

  private static func text(_ local: SocketAddress, _ remote: SocketAddress, mapped: Bool) -> [UInt8] {
    Array("\(self.text(local, mapped: mapped)) \(self.text(remote, mapped: mapped))".utf8)
  }

  /// Each 32-bit word as the machine reads it, and the port.
  private static func text(_ address: SocketAddress, mapped: Bool) -> String {
    let prefix = mapped && address.family == .ipv4 ? [0, 0, UInt32(0xFFFF).bigEndian] : []
    return (prefix + address.words).map { self.hex($0, digits: 8) }.joined() + ":" + self.hex(UInt32(address.port), digits: 4)
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
