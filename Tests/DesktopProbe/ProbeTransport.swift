import Glibc
import HTTPTypes
import Sallyport
import SallyportProtocol

/// A transport for loopback addresses with blocking sockets and one connection for each request.
struct ProbeTransport: Transport {
  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    let authority = request.authority ?? ""
    guard let port = authority.split(separator: ":").last, let descriptor = ProbeClient.connect("127.0.0.1", String(port)) else {
      throw .unreachable(reason: "no connection")
    }
    defer { close(descriptor) }
    var head = "\(request.method.rawValue) \(request.path ?? "/") HTTP/1.1\r\nHost: \(authority)\r\n"
    for field in request.headerFields { head += "\(field.name.rawName): \(field.value)\r\n" }
    let bytes = Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw .unreachable(reason: "not sent")
    }
    return try Self.response(Self.readAll(descriptor))
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return content }
      content += buffer[..<count]
    }
  }

  /// Parses a response. `bytes` is everything that the server sent on the connection.
  private static func response(_ bytes: [UInt8]) throws(TransportError) -> TransportResponse {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n"),
      let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else {
      throw .unreachable(reason: "no response")
    }
    // The header fields are not parsed, because the probe requests only JSON.
    var head = HTTPResponse(status: .init(code: status))
    head.headerFields[.contentType] = "application/json"
    return TransportResponse(head: head, body: Array(text[end.upperBound...].utf8))
  }
}
