/// A CBOR data item that a test encodes. The encoding is canonical if the pairs of maps are in the right order.
package enum TestCBOR: Sendable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([TestCBOR])
  case map([(key: TestCBOR, value: TestCBOR)])
  /// An item that is already encoded, for example an invalid one.
  case encoded([UInt8])

  /// The encoded item. The first argument of ``head(_:_:)`` is the CBOR major type (RFC 8949 §3.1).
  package var bytes: [UInt8] {
    switch self {
    case .integer(let value): value < 0 ? Self.head(1, UInt64(-1 - value)) : Self.head(0, UInt64(value))
    case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
    case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
    case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.bytes)
    case .map(let pairs): Self.head(5, UInt64(pairs.count)) + pairs.flatMap { $0.key.bytes + $0.value.bytes }
    case .encoded(let bytes): bytes
    }
  }

  /// A map with integer keys, as in a COSE_Key.
  package static func labeled(_ pairs: [(Int64, TestCBOR)]) -> TestCBOR {
    .map(pairs.map { (.integer($0.0), $0.1) })
  }

  /// A map with string keys, as in an attestation object.
  package static func named(_ pairs: [(String, TestCBOR)]) -> TestCBOR {
    .map(pairs.map { (.text($0.0), $0.1) })
  }

  /// Encodes a major type and its argument in the shortest form (RFC 8949 §3).
  package static func head(_ type: UInt8, _ argument: UInt64) -> [UInt8] {
    func bytes(_ count: Int) -> [UInt8] { (0..<count).reversed().map { UInt8(truncatingIfNeeded: argument >> ($0 * 8)) } }
    let type = type << 5
    return switch argument {
    case ..<24: [type | UInt8(argument)]
    case ..<0x100: [type | 24] + bytes(1)
    case ..<0x1_0000: [type | 25] + bytes(2)
    case ..<0x1_0000_0000: [type | 26] + bytes(4)
    default: [type | 27] + bytes(8)
    }
  }
}
