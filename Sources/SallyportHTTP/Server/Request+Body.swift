import HTTPTypes
import Hummingbird

extension Request {
  /// No body that this server takes is larger, in bytes.
  static var maximumBody: Int { 64 << 10 }

  /// The body, as soon as all of it is there.
  /// - Throws: `HTTPError` with 413 for one that is too large, without waiting for it where its length is told, and 400 for one that
  ///   breaks off.
  func wholeBody() async throws -> ByteBuffer {
    if let length = self.headers.value(of: .contentLength), (Int(length) ?? .max) > Self.maximumBody {
      throw HTTPError(.contentTooLarge)
    }
    // Most bodies come in one piece, which is what is given out.
    var whole = ByteBuffer()
    do {
      for try await part in self.body {
        if whole.readableBytes == 0 { whole = part } else { whole.writeImmutableBuffer(part) }
        if whole.readableBytes > Self.maximumBody { throw HTTPError(.contentTooLarge) }
      }
    } catch let error as HTTPError { throw error } catch { throw HTTPError(.badRequest) }
    return whole
  }

  /// Whether the client sends the body only when it is told to go on (RFC 9110 §10.1.1).
  var expectsContinue: Bool {
    guard self.method != .get, self.method != .head, let expectation = self.headers.value(of: .expect) else { return false }
    return expectation.lowercased() == "100-continue"
  }
}
