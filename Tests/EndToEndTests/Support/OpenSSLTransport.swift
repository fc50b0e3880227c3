import BrowserDriver
import Foundation
import HTTPTypes
import SallyportRemote

/// A transport that sends HTTP/1.1 through OpenSSL's client. With it, the server's TLS is also tested with a library
/// that the server does not use.
struct OpenSSLTransport: Transport {
  let port: UInt16
  /// The path of the trusted authority's certificate.
  let authority: String
  let folder: String

  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse {
    var lines = [
      "\(request.method.rawValue) \(request.path ?? "/") HTTP/1.1", "Host: \(request.authority ?? "")", "Connection: close",
    ]
    lines += request.headerFields.map { "\($0.name): \($0.value)" }
    if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
    let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + String(decoding: body, as: UTF8.self)
    let command = ChildCommand(
      "/usr/bin/openssl",
      [
        "s_client", "-quiet", "-verify_quiet", "-connect", "127.0.0.1:\(self.port)", "-servername", "localhost", "-CAfile",
        self.authority, "-verify_return_error", "-alpn", "http/1.1",
      ], input: Array(text.utf8))
    do {
      let finished = try await run(command, folder: self.folder)
      return try Self.response(finished.output)
    } catch { throw .unreachable(reason: "\(error)") }
  }

  private static func response(_ text: String) throws -> TransportResponse {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    guard parts.count == 2, let first = lines.first, first.hasPrefix("HTTP/1.1 "), let code = Int(first.split(separator: " ")[1])
    else {
      throw UnexpectedResult("no HTTP/1.1 response: \(text)")
    }
    var head = HTTPResponse(status: .init(code: code))
    for line in lines.dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2, let name = HTTPField.Name(String(pair[0])) else {
        throw UnexpectedResult("an invalid header field: \(line)")
      }
      head.headerFields.append(HTTPField(name: name, value: pair[1].trimmingCharacters(in: .whitespaces)))
    }
    return TransportResponse(head: head, body: Array(parts[1].utf8))
  }
}
