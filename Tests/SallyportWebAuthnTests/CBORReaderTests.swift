import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

@Suite("CBOR")
struct CBORReaderTests {
  private static func decode(_ hex: String) -> Result<CBORValue, CBORError> {
    Result { () throws(CBORError) in try CBORReader.decode(Vectors.bytes(.string(hex))) }
  }

  @Test(
    "integers, byte strings, texts, arrays, Booleans, and null are read, as in the examples of RFC 8949 appendix A",
    arguments: [
      ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("18ff", .integer(255)), ("190100", .integer(256)),
      ("1903e8", .integer(1000)), ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)),
      ("1b7fffffffffffffff", .integer(.max)), ("20", .integer(-1)), ("3863", .integer(-100)), ("390100", .integer(-257)),
      ("3b7fffffffffffffff", .integer(.min)), ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])),
      ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")), ("6161", .text("a")), ("62c3bc", .text("ü")),
      ("64f0908591", .text("\u{10151}")), ("80", .array([])), ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
      ("8301820203820405", .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])])),
    ] as [(String, CBORValue)])
  func examples(_ hex: String, _ expected: CBORValue) {
    #expect(Self.decode(hex) == .success(expected))
  }

  @Test("the values of a map are found by their keys")
  func maps() throws {
    // {1: 2, -1: "a", "a": 1, "bc": {}}
    let map = try #require(Self.decode("a40102206161616101626263a0").get().mapValue)
    #expect(map.count == 4)
    #expect(map[1] == .integer(2))
    #expect(map[-1] == .text("a"))
    #expect(map["a"] == .integer(1))
    #expect(map["bc"]?.mapValue?.count == 0)
    #expect(map[2] == nil)
    #expect(map["b"] == nil)
  }

  @Test("a key with the same letter in another Unicode normalization is another key")
  func normalization() throws {
    // U+212B (the Angstrom sign) is canonically equivalent to U+00C5.
    let map = try #require(TestCBOR.named([("\u{212B}", .integer(1))]).decoded().mapValue)
    #expect(map["\u{212B}"] == .integer(1))
    #expect(map["\u{C5}"] == nil)
  }

  /// Inputs with the expected error; nil for the deepest nesting that is accepted.
  static let inputs: [(String, CBORError?)] = [
    ("", .truncated), ("18", .truncated), ("1901", .truncated), ("1b00000001000000", .truncated), ("41", .truncated),
    ("6261", .truncated), ("81", .truncated), ("a1", .truncated), ("a101", .truncated),
    ("5bffffffffffffffff", .truncated), ("7bffffffffffffffff", .truncated), ("9bffffffffffffffff", .truncated),
    ("bbffffffffffffffff", .truncated), ("5b7fffffffffffffff00", .truncated), ("9affffffff00", .truncated),
    ("0000", .trailingBytes), ("a000", .trailingBytes),
    ("1800", .notShortest), ("1817", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
    ("1b00000000ffffffff", .notShortest), ("3817", .notShortest), ("580100", .notShortest), ("790001", .notShortest),
    ("9800", .notShortest), ("b800", .notShortest),
    ("5f4100ff", .indefiniteLength), ("7f6161ff", .indefiniteLength), ("9fff", .indefiniteLength), ("bfff", .indefiniteLength),
    ("1f", .indefiniteLength),
    ("1b8000000000000000", .integerOutOfRange), ("3b8000000000000000", .integerOutOfRange),
    ("c000", .unsupportedType), ("d9d9f700", .unsupportedType), ("f7", .unsupportedType), ("f0", .unsupportedType),
    ("f818", .unsupportedType), ("f93c00", .unsupportedType), ("fa47c35000", .unsupportedType),
    ("fb3ff199999999999a", .unsupportedType), ("ff", .unsupportedType), ("1c", .unsupportedType), ("5e", .unsupportedType),
    ("a1f500", .unsupportedKey), ("a14000", .unsupportedKey), ("a18000", .unsupportedKey), ("a1a000", .unsupportedKey),
    ("a202000100", .unsortedKeys), ("a220000000", .unsortedKeys), ("a2616100" + "0000", .unsortedKeys),
    ("a262616100" + "616200", .unsortedKeys), ("a2616200" + "616100", .unsortedKeys),
    ("a201000100", .duplicateKey), ("a2616100" + "616100", .duplicateKey), ("a220002000", .duplicateKey),
    ("61ff", .invalidUTF8), ("62c328", .invalidUTF8), ("63eda080", .invalidUTF8), ("61c3", .invalidUTF8),
    ("818181818100", nil), ("81818181818100", .tooDeep), ("a100a100a100a100a100a0", .tooDeep),
  ]

  @Test("invalid CBOR is rejected for the right reason", arguments: inputs)
  func invalid(_ hex: String, _ expected: CBORError?) {
    #expect(Self.decode(hex).error == expected)
  }

  @Test("every error has a test")
  func complete() {
    // The limit of the number of items has a test of its own.
    let tested = Set(Self.inputs.compactMap(\.1)).union([.tooManyItems])
    #expect(tested == Set(CBORError.allCases))
  }

  @Test("an input contains at most 256 data items")
  func items() {
    func array(_ count: Int) -> [UInt8] { TestCBOR.array((0..<count).map { _ in .integer(0) }).bytes }
    // The array itself counts as an item.
    #expect(throws: Never.self) { try CBORReader.decode(array(255)) }
    #expect(throws: CBORError.tooManyItems) { try CBORReader.decode(array(256)) }
    // The outer array and the first inner array are 202 items. The second inner array is 61 items, which is too many.
    let nested = TestCBOR.head(4, 2) + array(200) + array(60)
    #expect(throws: CBORError.tooManyItems) { try CBORReader.decode(nested) }
  }

  @Test("each read returns one data item, and the next read continues after it")
  func sequence() throws {
    var reader = CBORReader([0xFF, 0x01, 0x61, 0x61], at: 1)
    #expect(try reader.read() == .integer(1))
    #expect(reader.position == 2)
    #expect(try reader.read() == .text("a"))
    #expect(throws: CBORError.truncated) { try reader.read() }
  }

  @Test("an input of one or two bytes is accepted only if it is the canonical encoding of its value")
  func exhaustive() {
    for first in UInt8.min ... .max {
      for second in UInt8.min ... .max {
        for bytes in [[first], [first, second]] {
          guard let value = try? CBORReader.decode(bytes) else { continue }
          #expect(value.encoded == bytes)
        }
      }
    }
  }
}

extension TestCBOR {
  func decoded() throws(CBORError) -> CBORValue { try CBORReader.decode(self.bytes) }
}

extension CBORValue {
  /// The only encoding of the value that is accepted.
  fileprivate var encoded: [UInt8] {
    switch self {
    case .integer(let value): TestCBOR.integer(value).bytes
    case .bytes(let bytes): TestCBOR.bytes(bytes).bytes
    case .text(let text): TestCBOR.text(text).bytes
    case .array(let items): TestCBOR.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
    case .map(let map): TestCBOR.head(5, UInt64(map.count)) + map.entries.flatMap { $0.key.encoded + $0.value.encoded }
    case .bool(let value): [value ? 0xF5 : 0xF4]
    case .null: [0xF6]
    }
  }
}
