import BrowserDriver
import HTTPTypes
import Hummingbird
import NIOCore
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Synchronization
import SocketTestSupport
import TestSupport
import Testing

struct AsyncHTTPClientTransportTests {
  /// Returns the error of a request, or `nil` if it succeeds.
  private static func error(
    _ transport: AsyncHTTPClientTransport, _ path: String, port: Int, host: String = "localhost",
    limits: TransferLimits = TransferLimits()
  ) async throws -> TransportError? {
    let request = try HTTPRequest.get(path, port: port, host: host)
    do {
      _ = try await transport.send(request, body: [], limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "the method, path, fields, and body of requests and responses are unchanged, regardless of the status",
    arguments: [200, 400, 404, 503])
  func exchange(status: Int) async throws {
    try await withServer { router in
      router.post("/token") { request, _ in
        let body = try await request.body.collect(upTo: 1024)
        return Response(
          status: .init(code: status),
          headers: [.contentType: "text/plain", .eTag: request.headers[.contentType] ?? ""],
          body: .init(byteBuffer: ByteBuffer(string: "\(request.uri.query ?? "") \(String(buffer: body))")))
      }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport { transport in
        let url = try EndpointURL("http://localhost:\(port)/token?a=b%20c")
        let response = try await transport.send(.post(form: url), body: Array("x=1&y=%2F".utf8), limits: TransferLimits())
        #expect(response.head.status.code == status)
        #expect(response.head.headerFields[.contentType] == "text/plain")
        #expect(response.head.headerFields[.eTag] == "application/x-www-form-urlencoded")
        #expect(String(decoding: response.body, as: UTF8.self) == "a=b%20c x=1&y=%2F")
      }
    }
  }

  @Test("C-23: a redirect is returned as a response and not followed", arguments: [301, 302, 303, 307, 308])
  func redirect(status: Int) async throws {
    let followed = Mutex(false)
    try await withServer { router in
      router.get("/start") { _, _ in Response(status: .init(code: status), headers: [.location: "/target"]) }
      router.get("/target") { _, _ in
        followed.withLock { $0 = true }
        return "here"
      }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport { transport in
        let response = try await transport.send(.get("/start", port: port), body: [], limits: TransferLimits())
        #expect(response.head.status.code == status)
        #expect(response.head.headerFields[.location] == "/target")
      }
    }
    #expect(!followed.withLock { $0 })
  }

  @Test("cookies are not stored")
  func cookies() async throws {
    try await withServer { router in
      router.get("/") { request, _ in
        Response(
          status: .ok, headers: [.setCookie: "a=b; Path=/"],
          body: .init(byteBuffer: ByteBuffer(string: request.headers[.cookie] ?? "")))
      }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport { transport in
        for _ in 0..<2 {
          let response = try await transport.send(.get("/", port: port), body: [], limits: TransferLimits())
          #expect(response.head.headerFields[.setCookie] == "a=b; Path=/")
          #expect(response.body.isEmpty)
        }
      }
    }
  }

  @Test("a body up to the limit is read, and a larger body is rejected", arguments: [true, false])
  func bodyLimit(hasContentLength: Bool) async throws {
    try await withServer { router in
      router.get("/:size") { _, context in
        let buffer = ByteBuffer(repeating: 0x20, count: try context.parameters.require("size", as: Int.self))
        return Response(
          status: .ok,
          body: hasContentLength
            ? .init(byteBuffer: buffer)
            : .init { writer in
              try await writer.write(buffer)
              try await writer.finish(nil)
            })
      }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport { transport in
        let limits = TransferLimits(maximumBodySize: 1000)
        let body = try await transport.send(.get("/1000", port: port), body: [], limits: limits).body
        #expect(body.count == 1000)
        let error = try await Self.error(transport, "/1001", port: port, limits: limits)
        #expect(error == .bodyTooLarge)
      }
    }
  }

  @Test("reading an endless body stops at the limit", .timeLimit(.minutes(2)))
  func endlessBody() async throws {
    try await withServer { router in
      router.get("/") { _, _ in
        Response(
          status: .ok,
          body: .init { writer in
            while true { try await writer.write(ByteBuffer(repeating: 0x20, count: 1000)) }
          })
      }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport { transport in
        let error = try await Self.error(transport, "/", port: port)
        #expect(error == .bodyTooLarge)
      }
    }
  }

  @Test(
    "a response that is late or never completed ends with a timeout", .timeLimit(.minutes(2)),
    arguments: ["/silent", "/dripping"])
  func timeout(path: String) async throws {
    let gate = Gate()
    try await withServer {
      Self.addSlowRoutes(to: $0, gate)
    } _: { port in
      defer { gate.open() }
      try await AsyncHTTPClientTransport.withTransport { transport in
        let limits = TransferLimits(timeout: .milliseconds(200))
        let error = try await Self.error(transport, path, port: port, limits: limits)
        #expect(error == .timedOut)
      }
    }
  }

  @Test(
    "a canceled task gets TransportError.cancelled immediately, before and during the response", .timeLimit(.minutes(2)),
    arguments: ["/silent", "/dripping"])
  func cancellation(path: String) async throws {
    let (gate, arrived) = (Gate(), Gate())
    try await withServer {
      Self.addSlowRoutes(to: $0, gate, arrived)
    } _: { port in
      defer { gate.open() }
      try await AsyncHTTPClientTransport.withTransport { transport in
        let task = Task {
          try await Self.error(transport, path, port: port, limits: TransferLimits(timeout: .seconds(300)))
        }
        await arrived.wait()
        task.cancel()
        let error = try await task.value
        #expect(error == .cancelled)
      }
    }
  }

  @Test("a task that is already canceled gets TransportError.cancelled")
  func canceledBefore() async throws {
    let transport = AsyncHTTPClientTransport()
    let gate = Gate()
    let task = Task {
      await gate.wait()
      // The request is never sent, so no server is needed.
      return try await Self.error(transport, "/", port: 9)
    }
    task.cancel()
    gate.open()
    #expect(try await task.value == .cancelled)
  }

  @Test("a refused connection fails immediately and not with a timeout", .timeLimit(.minutes(1)))
  func unreachable() async throws {
    try await withClosedPort { port in
      try await AsyncHTTPClientTransport.withTransport(connectTimeout: .seconds(300)) { transport in
        for host in ["127.0.0.1", "localhost"] {
          let limits = TransferLimits(timeout: .seconds(300))
          let error = try await Self.error(transport, "/", port: Int(port), host: host, limits: limits)
          #expect(error == .unreachable(reason: "Connection refused"))
        }
      }
    }
  }

  @Test("an incomplete body is an error", arguments: [true, false])
  func truncated(hasContentLength: Bool) async throws {
    struct Broken: Error {}
    try await withServer { router in
      router.get("/") { _, _ in
        Response(
          status: .ok, headers: hasContentLength ? [.contentLength: "100"] : [:],
          body: .init { writer in
            try await writer.write(ByteBuffer(string: "{\"a\":"))
            throw Broken()
          })
      }
    } _: { port in
      try await AsyncHTTPClientTransport.withTransport { transport in
        guard case .unreachable? = try await Self.error(transport, "/", port: port) else {
          Issue.record("accepted an incomplete body")
          return
        }
      }
    }
  }

  @Test("a closed transport sends nothing, and can be closed again")
  func shutdown() async throws {
    let requests = Mutex(0)
    try await withServer { router in
      router.get("/") { _, _ in
        requests.withLock { $0 += 1 }
        return "x"
      }
    } _: { port in
      let unused = AsyncHTTPClientTransport()
      await unused.shutdown()
      let errorOfUnused = try await Self.error(unused, "/", port: port)
      #expect(errorOfUnused == .cancelled)
      let used = AsyncHTTPClientTransport()
      let errorBeforeShutdown = try await Self.error(used, "/", port: port)
      #expect(errorBeforeShutdown == nil)
      await used.shutdown()
      await used.shutdown()
      let errorAfterShutdown = try await Self.error(used, "/", port: port)
      #expect(errorAfterShutdown == .cancelled)
      // A transport that is released closes itself.
      let errorOfReleased = try await Self.error(AsyncHTTPClientTransport(), "/", port: port)
      #expect(errorOfReleased == nil)
    }
    #expect(requests.withLock { $0 } == 2)
  }

  private static func addSlowRoutes(to router: Router<BasicRequestContext>, _ gate: Gate, _ arrived: Gate = Gate()) {
    router.get("/silent") { _, _ in
      arrived.open()
      await gate.wait()
      return "late"
    }
    router.get("/dripping") { _, _ in
      Response(
        status: .ok,
        body: .init { writer in
          try await writer.write(ByteBuffer(string: "{"))
          arrived.open()
          await gate.wait()
          try await writer.finish(nil)
        })
    }
  }
}
