import HTTPTypes
import Hummingbird
import SallyportProtocol
import TestSupport

/// A server's response, well-formed or not.
enum ServerResponse: Sendable {
  case json(JSONValue, status: HTTPResponse.Status = .ok)
  case text(String, type: String? = "application/json", status: HTTPResponse.Status = .ok)
  case redirect(to: String, status: HTTPResponse.Status = .found)
  /// An error response with status 400 that requires a proof with this nonce (RFC 9449 §8).
  case nonceRequired(String)
  /// A response head and the beginning of its body. The rest is not sent until the test ends.
  case stalled
  /// A body that is larger than this number of bytes.
  case huge(Int)

  /// - Parameter end: Opens when the test ends.
  func response(until end: Gate) throws -> Response {
    switch self {
    case .json(let value, let status): try Self.text(JSONText.text(value), "application/json", status)
    case .text(let text, let type, let status): Self.text(text, type, status)
    case .redirect(let location, let status): Response(status: status, headers: [.location: location])
    case .nonceRequired(let nonce): try Self.nonceRequired(nonce)
    case .stalled:
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "{"))
          await end.wait()
          try await writer.finish(nil)
        })
    case .huge(let size):
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody { writer in
          let chunk = ByteBuffer(repeating: UInt8(ascii: " "), count: 64 << 10)
          for _ in 0..<(size / chunk.readableBytes + 1) { try await writer.write(chunk) }
          try await writer.finish(nil)
        })
    }
  }

  private static func nonceRequired(_ nonce: String) throws -> Response {
    var response = self.text(try JSONText.text(["error": "use_dpop_nonce"]), "application/json", .badRequest)
    response.headers[.dpopNonce] = nonce
    return response
  }

  private static func text(_ text: String, _ type: String?, _ status: HTTPResponse.Status) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = type
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
