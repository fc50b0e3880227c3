import HTTPTypes
import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends commands to a WebDriver server on this machine (JSON over HTTP).
struct DriverConnection: Sendable {
  private let authority: String
  private let transport: any Transport

  init(port: UInt16, transport: any Transport) {
    self.authority = "127.0.0.1:\(port)"
    self.transport = transport
  }

  /// Sends a command and returns its result.
  func call<Result: Decodable>(
    _ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil, as type: Result.Type
  ) async throws(WebDriverError) -> Result {
    guard let value = try await self.callForOptional(method, path, body, as: type) else {
      throw .malformed(command: Self.command(method, path))
    }
    return value
  }

  /// Sends a command whose result can be null.
  func callForOptional<Result: Decodable>(
    _ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil, as type: Result.Type
  ) async throws(WebDriverError) -> Result? {
    try await self.reply(method, path, body, as: Reply<Result>.self).value
  }

  /// Sends a command that has no result.
  func call(_ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil) async throws(WebDriverError) {
    _ = try await self.reply(method, path, body, as: Ignored.self)
  }

  /// The name of a command for error messages. It omits the "/session/{id}" with which most paths begin.
  private static func command(_ method: HTTPRequest.Method, _ path: String) -> String {
    let parts = path.split(separator: "/")
    return "\(method) \(parts.dropFirst(parts.count > 2 ? 2 : 0).joined(separator: "/"))"
  }

  private func reply<A: Decodable>(
    _ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)?, as type: A.Type
  ) async throws(WebDriverError) -> A {
    let command = Self.command(method, path)
    var request = HTTPRequest(method: method, scheme: "http", authority: self.authority, path: path)
    var bytes: [UInt8] = []
    if method == .post {
      request.headerFields[.contentType] = "application/json"
      do { bytes = Array(try JSONEncoder().encode(AnyBody(body: body))) } catch { throw .malformed(command: command) }
    }
    let response: TransportResponse
    do {
      response = try await self.transport.send(
        request, body: bytes, limits: TransferLimits(maximumBodySize: 64 << 20, timeout: .seconds(60)))
    } catch {
      throw .noResponse(command: command, error)
    }
    let data = Data(response.body)
    guard response.head.status == .ok else {
      let failure = try? JSONDecoder().decode(Reply<Failure>.self, from: data).value
      throw .failed(command: command, error: failure?.error ?? "\(response.head.status)", message: failure?.message ?? "")
    }
    do { return try JSONDecoder().decode(type, from: data) } catch { throw .malformed(command: command) }
  }

  private struct Reply<Value: Decodable>: Decodable { var value: Value? }
  private struct Ignored: Decodable {}
  private struct Failure: Decodable {
    var error: String
    var message: String
  }
  /// Encodes an empty object if there is no body, because WebDriver requires an object for POST.
  private struct AnyBody: Encodable {
    var body: (any Encodable)?

    func encode(to encoder: any Encoder) throws {
      guard let body = self.body else {
        _ = encoder.container(keyedBy: NoKey.self)
        return
      }
      try body.encode(to: encoder)
    }
  }
  private enum NoKey: CodingKey {}
}
