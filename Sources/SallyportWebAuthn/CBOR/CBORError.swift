/// Why bytes are not a data item that ``CBORReader`` accepts.
package enum CBORError: Error, Hashable, Sendable, CaseIterable {
  /// The input ends inside a data item, or a length is greater than the rest of the input.
  case truncated
  /// Bytes follow the data item.
  case trailingBytes
  /// An integer or a length is not in its shortest encoding (CTAP 2.2 §8).
  case notShortest
  /// A length is indefinite (CTAP 2.2 §8).
  case indefiniteLength
  /// An integer does not fit into `Int64`.
  case integerOutOfRange
  /// A tag, a floating-point number, a simple value other than `false`, `true`, and `null`, or a reserved encoding.
  case unsupportedType
  /// A key of a map is neither an integer nor a string.
  case unsupportedKey
  /// The keys of a map are not in the order of CTAP 2.2 §8.
  case unsortedKeys
  /// Two keys of a map are identical.
  case duplicateKey
  /// A string is not UTF-8.
  case invalidUTF8
  /// Arrays and maps are nested too deeply.
  case tooDeep
  /// There are too many data items.
  case tooManyItems
}
