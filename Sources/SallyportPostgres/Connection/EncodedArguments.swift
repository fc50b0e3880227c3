/// The arguments of a statement in PostgreSQL's binary format.
struct EncodedArguments {
  /// All values, each followed by a zero byte, so that the address of an empty value is valid too, and libpq can read a
  /// text as a C string.
  private var bytes: [UInt8] = []
  /// The offset and length of each value; nil for NULL.
  private var values: [(offset: Int, length: Int)?] = []

  init(_ arguments: [(any StatementArgument)?]) {
    for argument in arguments {
      guard let argument else {
        self.values.append(nil)
        continue
      }
      let offset = self.bytes.count
      argument.append(to: &self.bytes)
      self.values.append((offset, self.bytes.count - offset))
      self.bytes.append(0)
    }
  }

  /// Calls `body` with the addresses, lengths, and formats of the values, as libpq expects them.
  func withPointers<R>(
    _ body: (_ count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> R
  ) -> R {
    self.bytes.withUnsafeBytes { buffer in
      let pointers = self.values.map { value in
        value.flatMap { buffer.baseAddress?.advanced(by: $0.offset).assumingMemoryBound(to: CChar.self) }
      }
      // 1 is libpq's code for the binary format.
      return body(
        Int32(self.values.count), pointers, self.values.map { Int32($0?.length ?? 0) }, self.values.map { _ in 1 })
    }
  }
}
