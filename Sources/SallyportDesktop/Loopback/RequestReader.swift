/// Collects the bytes of one request head. It performs no I/O.
package struct RequestReader: Sendable {
  package enum Verdict: Equatable, Sendable {
    case incomplete
    case complete(RequestHead)
    case rejected(RequestRejection)
  }

  /// The maximum size of a request head in bytes. A head can contain the cookies of all other servers on the same host.
  static let maximumSize = 64 << 10
  /// The maximum size of the request target in bytes. A callback with a code and a state usually has a few hundred
  /// bytes.
  static let maximumTargetSize = 16 << 10
  private static let end = Array("\r\n\r\n".utf8)

  private var bytes: [UInt8] = []

  package init() {}

  /// Processes the next bytes. After any verdict except `incomplete`, the reader must not be used again.
  package mutating func read(_ more: some Collection<UInt8>) -> Verdict {
    // The end of the head may be split between this data and earlier data.
    let searchFrom = max(0, self.bytes.count - 3)
    self.bytes += more
    // A browser's request starts with an uppercase letter. Reject other protocols, such as TLS, immediately.
    guard self.bytes.first.map({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) ?? true else {
      return .rejected(.malformed)
    }
    if let end = Self.indexOfEnd(self.bytes[searchFrom...]) {
      guard end <= Self.maximumSize else { return .rejected(.tooLarge) }
      guard let head = RequestHead(self.bytes[..<end]) else { return .rejected(.malformed) }
      return head.target.utf8.count <= Self.maximumTargetSize ? .complete(head) : .rejected(.tooLarge)
    }
    // The last bytes may be the beginning of the end marker, which does not count toward the size. They are therefore
    // not counted yet, so that the verdict doesn't depend on how the bytes were split.
    return self.bytes.count - (Self.end.count - 1) > Self.maximumSize ? .rejected(.tooLarge) : .incomplete
  }

  private static func indexOfEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= self.end.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - self.end.count)).first { bytes[$0...].starts(with: self.end) }
  }
}
