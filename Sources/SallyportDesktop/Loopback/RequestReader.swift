/// Collects the bytes of one request head: bytes in, verdict out, no I/O.
package struct RequestReader: Sendable {
  package enum Verdict: Equatable, Sendable {
    case incomplete
    case complete(RequestHead)
    case refused(Refusal)
  }

  /// In bytes; a callback with a code and a state has a few hundred.
  static let maximumSize = 16 << 10
  private static let end = Array("\r\n\r\n".utf8)

  private var bytes: [UInt8] = []

  package init() {}

  /// Takes the next bytes. After any verdict but `incomplete` the reader is done.
  package mutating func read(_ more: some Collection<UInt8>) -> Verdict {
    // The end may lie across the border of what came before and what comes now.
    let searchFrom = max(0, self.bytes.count - 3)
    self.bytes += more
    // A request begins with its method: what speaks another protocol (TLS, most of all) need not be waited for.
    guard self.bytes.first.map({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) ?? true else {
      return .refused(.malformed)
    }
    if let end = Self.indexOfEnd(self.bytes[searchFrom...]) {
      guard end <= Self.maximumSize else { return .refused(.tooLarge) }
      return RequestHead(self.bytes[..<end]).map(Verdict.complete) ?? .refused(.malformed)
    }
    // As long as the end may still come in time: the verdict depends on the bytes alone, not on how they were cut into pieces.
    return self.bytes.count - (Self.end.count - 1) > Self.maximumSize ? .refused(.tooLarge) : .incomplete
  }

  private static func indexOfEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= self.end.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - self.end.count)).first { bytes[$0...].starts(with: self.end) }
  }
}
