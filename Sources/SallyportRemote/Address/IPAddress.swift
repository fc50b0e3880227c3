/// An IP address of 4 or 16 bytes.
package struct IPAddress: Hashable, Sendable {
  package let bytes: [UInt8]

  /// `0.0.0.0`, which is not public. It stands for a host that is not a name, but cannot be parsed as an address.
  private static let unparsable: [UInt8] = [0, 0, 0, 0]

  /// - Returns: `nil` unless there are 4 or 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses a host that is an address literal, with brackets for IPv6. Returns `nil` for a name.
  ///
  /// A host with brackets is never a name. If it cannot be parsed, it is treated as `0.0.0.0`, which is not public.
  ///
  /// A host whose last label is a number is never a name, because the URL Standard interprets hosts such as
  /// `2130706433`, `0x7f.1`, and `127.1` as addresses. Any such host other than four dotted decimal numbers is treated
  /// as `0.0.0.0`, which is not public.
  package init?(host: String) {
    if host.hasPrefix("[") {
      let literal = host.hasSuffix("]") ? Self.bytesOfIPv6(host.dropFirst().dropLast()) : nil
      self.bytes = literal ?? Self.unparsable
      return
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = labels.last(where: { !$0.isEmpty }), Self.isNumber(last) else { return nil }
    // The URL Standard interprets a number with a leading zero as octal, so such a label is not a decimal number.
    // `UInt8.init` also accepts a plus sign.
    let numbers = labels.map { label in
      label.count <= 3 && !label.hasPrefix("+") && (label == "0" || !label.hasPrefix("0")) ? UInt8(label) : nil
    }
    self.bytes = numbers.count == 4 && !numbers.contains(nil) ? numbers.compactMap(\.self) : Self.unparsable
  }

  /// Whether the address is public: not loopback, private, link-local, or reserved for a special purpose (RFC 6890).
  /// For an IPv4-mapped, NAT64, or 6to4 address, only the embedded IPv4 address is checked.
  package var isPublic: Bool {
    guard self.bytes.count == 16 else { return Self.isPublic4(self.bytes) }
    let zeros = self.bytes.prefix { $0 == 0 }.count
    // ::, ::1, IPv4-mapped (::ffff:a.b.c.d), IPv4-translated (::ffff:0:a.b.c.d), and IPv4-compatible addresses. Of
    // these, only an IPv4-mapped address can be public.
    if zeros >= 8 {
      return zeros == 10 && self.bytes[10] == 0xFF && self.bytes[11] == 0xFF && Self.isPublic4(self.bytes.suffix(4))
    }
    // 64:ff9b::/96 is translated to IPv4 (NAT64).
    if self.bytes.prefix(12) == [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] { return Self.isPublic4(self.bytes.suffix(4)) }
    // A 6to4 address embeds its IPv4 address after the prefix.
    if self.bytes.prefix(2) == [0x20, 0x02] { return Self.isPublic4(self.bytes[2..<6]) }
    // Only 2000::/3 is public, except for 2001::/23 (protocol assignments, Teredo, benchmarking) and the documentation
    // prefixes 2001:db8::/32 and 3fff::/20.
    guard self.bytes[0] & 0xE0 == 0x20 else { return false }
    if self.bytes[0] == 0x20, self.bytes[1] == 0x01 {
      return self.bytes[2] >= 0x02 && !(self.bytes[2] == 0x0D && self.bytes[3] == 0xB8)
    }
    return !(self.bytes[0] == 0x3F && self.bytes[1] == 0xFF && self.bytes[2] < 0x10)
  }

  /// Excludes the special-purpose ranges of RFC 6890, and multicast and reserved addresses (224.0.0.0 and higher).
  private static func isPublic4(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (100, 64...127, _), (169, 254, _), (172, 16...31, _), (192, 168, _): return false
    case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113): return false
    default: return bytes[0] < 224
    }
  }

  private static func isNumber(_ label: Substring) -> Bool {
    if label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
    let lower = label.lowercased()
    return lower.hasPrefix("0x") && lower.dropFirst(2).allSatisfy(\.isHexDigit)
  }

  /// Parses 16 bits of an IPv6 address. Unlike the initializer of `UInt16`, this rejects a sign.
  private static func group(_ text: Substring) -> UInt16? {
    text.allSatisfy(\.isHexDigit) ? UInt16(text, radix: 16) : nil
  }

  /// Parses the text form of RFC 4291 §2.2, except for the form with dots (`::ffff:192.0.2.1`), which an
  /// ``EndpointURL`` cannot contain.
  private static func bytesOfIPv6(_ text: Substring) -> [UInt8]? {
    let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let groups = halves.map { half in
      half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false).map(Self.group)
    }
    guard let head = groups.first, !groups.joined().contains(nil) else { return nil }
    let tail = groups.count == 2 ? groups[1] : []
    let missing = 8 - head.count - tail.count
    guard groups.count == 2 ? missing >= 0 : missing == 0 else { return nil }
    let whole = head + Array(repeating: 0, count: missing) + tail
    return whole.compactMap(\.self).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }
}
