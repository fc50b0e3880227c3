import SallyportProtocol

/// Reads CBOR in the CTAP2 canonical encoding form (CTAP 2.2 §8), which WebAuthn requires.
///
/// Lengths are definite, integers have their shortest encoding, and the keys of a map are unique and sorted. Memory and
/// time are bounded by the size of the input: a length is compared with the rest of the input before memory is
/// allocated, and the depth and the number of data items are limited.
package struct CBORReader {
  /// How deeply arrays and maps can be nested. CTAP 2.2 §8 allows 4 levels. The deepest WebAuthn structure, an
  /// attestation object in the format `compound`, has 5.
  package static let maximumDepth = 5
  /// The maximum number of data items. An attestation object has fewer than 30.
  package static let maximumItems = 256

  private let bytes: [UInt8]
  /// The index of the next byte.
  package private(set) var position: Int
  private var remainingItems = Self.maximumItems

  /// Creates a reader that starts at an index of `bytes`.
  package init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// Reads the only data item of `bytes`.
  /// - Throws: ``CBORError``
  package static func decode(_ bytes: [UInt8]) throws(CBORError) -> CBORValue {
    var reader = CBORReader(bytes)
    let value = try reader.read()
    guard reader.position == bytes.count else { throw .trailingBytes }
    return value
  }

  /// Reads the next data item.
  /// - Throws: ``CBORError``
  package mutating func read() throws(CBORError) -> CBORValue {
    try self.read(depth: 0)
  }

  private mutating func read(depth: Int) throws(CBORError) -> CBORValue {
    guard self.remainingItems > 0 else { throw .tooManyItems }
    self.remainingItems -= 1
    let (type, argument) = try self.readHead()
    // The major types of RFC 8949 §3.1.
    switch type {
    case 0:
      guard let value = Int64(exactly: argument) else { throw .integerOutOfRange }
      return .integer(value)
    case 1:
      guard let value = Int64(exactly: argument) else { throw .integerOutOfRange }
      return .integer(-1 - value)
    case 2:
      return .bytes(Array(try self.take(argument)))
    case 3:
      return .text(try self.readText(argument))
    case 4:
      return .array(try self.readArray(argument, depth: depth + 1))
    case 5:
      return .map(try self.readMap(argument, depth: depth + 1))
    // The simple values 20 to 22 are `false`, `true`, and `null` (RFC 8949 §3.3).
    case 7 where argument == 20 || argument == 21:
      return .bool(argument == 21)
    case 7 where argument == 22:
      return .null
    default:
      throw .unsupportedType
    }
  }

  /// Reads the first byte of a data item, and its argument (RFC 8949 §3).
  private mutating func readHead() throws(CBORError) -> (type: UInt8, argument: UInt64) {
    guard let head = try self.take(1).first else { throw .truncated }
    let (type, short) = (head >> 5, head & 0x1F)
    switch short {
    case ..<24:
      return (type, UInt64(short))
    // With type 7, the argument belongs to a floating-point number, or to a simple value that WebAuthn does not use.
    case 24...27 where type != 7:
      let argument = try self.take(1 << UInt64(short - 24)).reduce(0) { $0 << 8 | UInt64($1) }
      // The smallest number that does not fit into the next shorter encoding.
      let smallest: UInt64 = short == 24 ? 24 : 1 << (UInt64(8) << UInt64(short - 25))
      guard argument >= smallest else { throw .notShortest }
      return (type, argument)
    case 31 where type != 7:
      throw .indefiniteLength
    default:
      throw .unsupportedType
    }
  }

  private mutating func readText(_ length: UInt64) throws(CBORError) -> String {
    guard let text = String(validating: try self.take(length), as: UTF8.self) else { throw .invalidUTF8 }
    return text
  }

  private mutating func readArray(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORValue] {
    try self.checkItems(count, depth: depth)
    var items: [CBORValue] = []
    for _ in 0..<count { items.append(try self.read(depth: depth)) }
    return items
  }

  private mutating func readMap(_ count: UInt64, depth: Int) throws(CBORError) -> CBORMap {
    try self.checkItems(count, depth: depth)
    var map = CBORMap()
    var last: ArraySlice<UInt8> = []
    for _ in 0..<count {
      let start = self.position
      let key = try self.read(depth: depth)
      switch key {
      case .integer, .text: break
      default: throw .unsupportedKey
      }
      // CTAP2 sorts by type, then by length, and then by bytes. For integers and strings in their shortest encoding,
      // that is the bytewise order of their encodings, because these begin with the type and the length.
      let encoded = self.bytes[start..<self.position]
      guard last.lexicographicallyPrecedes(encoded) else { throw last == encoded ? .duplicateKey : .unsortedKeys }
      last = encoded
      map.append(key, try self.read(depth: depth))
    }
    return map
  }

  /// Checks that an array or map is not nested too deeply, that the rest of the input can contain its items, and that
  /// there are not too many items.
  private func checkItems(_ count: UInt64, depth: Int) throws(CBORError) {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    guard count <= UInt64(self.bytes.count - self.position) else { throw .truncated }
    guard count <= UInt64(self.remainingItems) else { throw .tooManyItems }
  }

  /// Returns the next `count` bytes.
  private mutating func take(_ count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
    guard count <= UInt64(self.bytes.count - self.position) else { throw .truncated }
    defer { self.position += Int(count) }
    return self.bytes[self.position..<(self.position + Int(count))]
  }
}
