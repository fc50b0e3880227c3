import HTTPTypes
package import Hummingbird

extension Request {
  /// The size of the largest body that the server accepts, in bytes.
  package static var maximumBody: Int { 64 << 10 }

  /// Returns the whole body.
  /// - Throws: `HTTPError` with status 413 if the body is too large, and with status 400 if the connection ends before
  ///   the body does. A declared length that is too large is rejected before the body is read.
  package func wholeBody() async throws -> ByteBuffer {
    if let length = self.headers.value(of: .contentLength), (Int(length) ?? .max) > Self.maximumBody {
      throw HTTPError(.contentTooLarge)
    }
    // Most bodies arrive in one piece, which is returned without a copy.
    var whole = ByteBuffer()
    do {
      for try await part in self.body {
        if whole.readableBytes == 0 { whole = part } else { whole.writeImmutableBuffer(part) }
        if whole.readableBytes > Self.maximumBody { throw HTTPError(.contentTooLarge) }
      }
    } catch let error as HTTPError { throw error } catch { throw HTTPError(.badRequest) }
    return whole
  }

  /// Whether the client waits for a 100 (Continue) response before it sends the body (RFC 9110 §10.1.1). False for GET
  /// and HEAD, whose bodies the server does not read.
  var expectsContinue: Bool {
    guard self.method != .get, self.method != .head, let expectation = self.headers.value(of: .expect) else { return false }
    return expectation.lowercased() == "100-continue"
  }
}
