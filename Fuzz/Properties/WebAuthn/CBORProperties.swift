import SallyportWebAuthn

/// Properties of the CBOR reader (CTAP 2.2 §8).
enum CBORProperties {
  /// - Returns: Whether the input is exactly one data item.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    var reader = CBORReader(input)
    guard let value = try? reader.read() else {
      try require((try? CBORReader.decode(input)) == nil, "decode rejects every input that read rejects")
      return false
    }
    let bytes = Array(input[..<reader.position])
    try require((try? CBORReader.decode(bytes)) == value, "decode returns the same value for the bytes that read has consumed")
    try require(self.encode(value) == bytes, "a value has only one encoding")
    try require(self.depth(value) <= CBORReader.maximumDepth, "the depth is limited")
    try require(self.count(value) <= CBORReader.maximumItems, "the number of data items is limited")
    for length in bytes.indices {
      try require((try? CBORReader.decode(Array(bytes[..<length]))) == nil, "a truncated data item is rejected")
    }
    let isWhole = bytes.count == input.count
    try require(((try? CBORReader.decode(input)) != nil) == isWhole, "bytes after a data item are rejected")
    return isWhole
  }

  /// Encodes a value in the canonical form, and sorts the keys of maps by their encodings.
  private static func encode(_ value: CBORValue) -> [UInt8] {
    switch value {
    case .integer(let value): value < 0 ? self.head(1, UInt64(bitPattern: ~value)) : self.head(0, UInt64(value))
    case .bytes(let bytes): self.head(2, UInt64(bytes.count)) + bytes
    case .text(let text): self.head(3, UInt64(text.utf8.count)) + text.utf8
    case .array(let items): self.head(4, UInt64(items.count)) + items.flatMap(self.encode)
    case .map(let map):
      self.head(5, UInt64(map.count))
        + map.entries.map { (self.encode($0.key), self.encode($0.value)) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }.flatMap { $0.0 + $0.1 }
    case .bool(let value): [value ? 0xF5 : 0xF4]
    case .null: [0xF6]
    }
  }

  /// Encodes the major type and the argument of a data item in as few bytes as possible (RFC 8949 §3).
  private static func head(_ majorType: UInt8, _ argument: UInt64) -> [UInt8] {
    if argument < 24 { return [majorType << 5 | UInt8(argument)] }
    // The codes 24 to 27 mean that the argument follows in 1, 2, 4, or 8 bytes.
    var (size, code): (UInt64, UInt8) = (1, 24)
    while size < 8, argument >> (size * 8) != 0 { (size, code) = (size * 2, code + 1) }
    return [majorType << 5 | code] + (0..<size).reversed().map { UInt8(truncatingIfNeeded: argument >> ($0 * 8)) }
  }

  private static func depth(_ value: CBORValue) -> Int {
    switch value {
    case .array(let items): 1 + (items.map(self.depth).max() ?? 0)
    case .map(let map): 1 + (map.entries.map { self.depth($0.value) }.max() ?? 0)
    default: 0
    }
  }

  private static func count(_ value: CBORValue) -> Int {
    switch value {
    case .array(let items): 1 + items.map(self.count).reduce(0, +)
    case .map(let map): 1 + map.entries.map { 1 + self.count($0.value) }.reduce(0, +)
    default: 1
    }
  }
}
