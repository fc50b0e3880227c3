/// A reader for Apple's binary property lists, the format of keyed archives.
///
/// Objects are read one at a time, so that a hostile file cannot cause recursion. Every offset is checked.
struct BinaryPropertyList: Sendable {
  enum Object: Equatable, Sendable {
    case bool(Bool)
    case string(String)
    /// A reference to an object of a keyed archive: its index in `$objects`.
    case reference(Int)
    /// The indexes of the elements.
    case array([Int])
    /// The indexes of the values.
    case dictionary([String: Int])
    /// Any other object, for example a number, a date, data, or null.
    case other
  }

  /// The index of the top object.
  let top: Int
  private let bytes: [UInt8]
  private let offsets: [Int]
  private let referenceSize: Int

  /// Returns `nil` if the bytes are not a binary property list.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else { return nil }
    self.bytes = bytes
    // The first 8 bytes are the header. The last 32 bytes are: 6 unused, the sizes of an offset and a reference, the
    // number of objects, the index of the top object, and the position of the table of offsets.
    let trailer = bytes.count - 32
    let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.integer(bytes, trailer + 8, 8), let top = Self.integer(bytes, trailer + 16, 8),
      let table = Self.integer(bytes, trailer + 24, 8), table <= trailer, count <= (trailer - table) / offsetSize, top < count
    else { return nil }
    self.top = top
    self.referenceSize = referenceSize
    // An offset that is larger than `Int.max` becomes `.max`, which `object(_:)` rejects.
    self.offsets = (0..<count).map { Self.integer(bytes, table + $0 * offsetSize, offsetSize) ?? .max }
  }

  /// Reads an object. Its first byte contains the kind and, in the lower four bits, the length or a constant. Returns
  /// `nil` if the index or the object is invalid.
  func object(_ index: Int) -> Object? {
    guard self.offsets.indices.contains(index), self.bytes.indices.contains(self.offsets[index]) else { return nil }
    var position = self.offsets[index]
    let (kind, low) = (self.bytes[position] >> 4, Int(self.bytes[position] & 0xF))
    position += 1
    switch kind {
    // A constant: 8 is false, and 9 is true.
    case 0x0: return low == 8 || low == 9 ? .bool(low == 9) : .other
    // A reference, with `low + 1` bytes.
    case 0x8: return Self.integer(self.bytes, position, low + 1).map { .reference($0) }
    // ASCII text, UTF-16 text, arrays, and dictionaries have a length, which is read below.
    case 0x5, 0x6, 0xA, 0xD: break
    default: return .other
    }
    guard let count = self.count(low, &position) else { return nil }
    switch kind {
    case 0x5: return self.slice(position, count).map { .string(String(decoding: $0, as: UTF8.self)) }
    case 0x6:
      guard let units = self.slice(position, count, of: 2) else { return nil }
      let text = stride(from: units.startIndex, to: units.endIndex, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }
      return .string(String(decoding: text, as: UTF16.self))
    case 0xA: return self.references(position, count).map { .array($0) }
    default: return self.dictionary(position, count)
    }
  }

  /// The text of an object, or `nil` if it is something else.
  func string(_ index: Int) -> String? {
    // Don't read a dictionary here: a key of a hostile dictionary can refer to the dictionary itself, which would cause
    // an endless recursion.
    guard self.offsets.indices.contains(index), self.bytes.indices.contains(self.offsets[index]),
      [0x5, 0x6].contains(self.bytes[self.offsets[index]] >> 4), case .string(let text)? = self.object(index)
    else { return nil }
    return text
  }

  /// Reads a dictionary with `count` members: first the references of all keys, and then the references of all values.
  private func dictionary(_ position: Int, _ count: Int) -> Object? {
    guard let keys = self.references(position, count),
      let values = self.references(position + count * self.referenceSize, count)
    else { return nil }
    var members: [String: Int] = [:]
    for (key, value) in zip(keys, values) {
      guard let name = self.string(key) else { return nil }
      members[name] = value
    }
    return .dictionary(members)
  }

  /// Reads the length of an object.
  /// - Parameters:
  ///   - low: The lower four bits of the object's first byte: the length, or 15 if the length follows as an integer
  ///     object.
  ///   - position: The position after the object's first byte. Moved past the length if the length follows.
  private func count(_ low: Int, _ position: inout Int) -> Int? {
    guard low == 0xF else { return low }
    guard self.bytes.indices.contains(position), self.bytes[position] >> 4 == 0x1, self.bytes[position] & 0xF <= 3 else {
      return nil
    }
    let size = 1 << Int(self.bytes[position] & 0xF)
    defer { position += 1 + size }
    return Self.integer(self.bytes, position + 1, size)
  }

  /// Reads `count` references. Returns `nil` if they extend beyond the bytes, or one is larger than `Int.max`.
  private func references(_ position: Int, _ count: Int) -> [Int]? {
    guard self.slice(position, count, of: self.referenceSize) != nil else { return nil }
    var references: [Int] = []
    for index in 0..<count {
      guard let reference = Self.integer(self.bytes, position + index * self.referenceSize, self.referenceSize) else {
        return nil
      }
      references.append(reference)
    }
    return references
  }

  /// The bytes of `count` elements with `size` bytes each. Returns `nil` if the elements extend beyond the bytes.
  private func slice(_ position: Int, _ count: Int, of size: Int = 1) -> ArraySlice<UInt8>? {
    guard position <= self.bytes.count, count <= (self.bytes.count - position) / size else { return nil }
    return self.bytes[position..<position + count * size]
  }

  /// Reads a big-endian integer of `size` bytes, or its last 8 bytes if it is longer. Returns `nil` if it extends
  /// beyond the bytes, or is larger than `Int.max`.
  private static func integer(_ bytes: [UInt8], _ position: Int, _ size: Int) -> Int? {
    guard position >= 0, size <= bytes.count, position <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for byte in bytes[position..<position + size].suffix(8) { value = value << 8 | UInt64(byte) }
    return Int(exactly: value)
  }
}
