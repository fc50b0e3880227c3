import Foundation
import HTTPTypes
import Testing

@testable import Sallyport

/// Runs on Linux, with the `URLSession` of swift-corelibs-foundation. Its implementation differs from Apple's.
@Suite("URLSession as a transport", .timeLimit(.minutes(1)))
struct URLSessionTransportTests {
  @Test(
    "C-23, C-34: the transport follows no redirects, stores no cookies, and respects the size limit, the timeout, and cancellation"
  )
  func rules() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let transport = URLSessionTransport()
    func get(_ path: String, limits: TransferLimits = TransferLimits()) async throws(TransportError) -> TransportResponse {
      let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path)
      return try await transport.send(request, body: [], limits: limits)
    }
    let redirect = try await get("/redirect")
    #expect(redirect.head.status == .temporaryRedirect)
    // The first response sets a cookie. The server would repeat the cookie if the second request sent it.
    let cookie = try await get("/cookie")
    #expect(String(decoding: cookie.body, as: UTF8.self) == "no cookie")
    #expect(String(decoding: try await get("/cookie").body, as: UTF8.self) == "no cookie")
    await #expect(throws: TransportError.bodyTooLarge) {
      try await get("/large", limits: TransferLimits(maximumBodySize: 1000))
    }
    await #expect(throws: TransportError.timedOut) {
      try await get("/silent/timeout", limits: TransferLimits(timeout: .milliseconds(300)))
    }
    let task = Task { () throws(TransportError) in try await get("/silent/cancelled") }
    try await server.waitForSilentRequest(at: "/silent/cancelled")
    task.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
  }

  @Test("a refused connection is reported immediately")
  func refused() async throws {
    let server = try LoopbackServer(isListening: false)
    defer { server.stop() }
    let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/")
    await #expect {
      _ = try await URLSessionTransport().send(request, body: [], limits: TransferLimits())
    } throws: {
      if case TransportError.unreachable = $0 { true } else { false }
    }
  }

  @Test("a form is posted with its header fields and body")
  func posts() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let request = HTTPRequest(
      method: .post, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/echo",
      headerFields: [.contentType: "application/x-www-form-urlencoded"])
    let response = try await URLSessionTransport().send(request, body: Array("a=b".utf8), limits: TransferLimits())
    #expect(String(decoding: response.body, as: UTF8.self) == "POST application/x-www-form-urlencoded a=b")
  }
}
