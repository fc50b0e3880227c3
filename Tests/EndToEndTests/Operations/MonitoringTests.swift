import BrowserDriver
import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

extension EndToEndTests {
  @Suite struct MonitoringTests {
    /// A server with metrics and a monitoring listener.
    private struct MonitoredServer: Sendable {
      let home: ServerHome
      let process: ChildProcess
      let metricsPort: UInt16
      let transport: AsyncHTTPClientTransport

      /// Sends a GET request to the server.
      /// - Parameter port: The port to connect to, or `nil` for the port of the monitoring listener.
      func get(_ path: String, port: UInt16? = nil) async throws -> (status: Int, text: String) {
        let url = try EndpointURL("http://127.0.0.1:\(port ?? self.metricsPort)\(path)")
        let response = try await self.transport.send(.get(url), body: [], limits: .document)
        return (Int(response.head.status.code), String(decoding: response.body, as: UTF8.self))
      }

      func wait(for line: String) async throws {
        try await eventually("\(line) among the metrics") {
          try await self.get("/metrics").text.contains("\n\(line)\n") ? () : nil
        }
      }
    }

    /// Runs a server while `body` runs.
    /// - Parameter settings: More lines of the settings file, in YAML.
    private static func withMonitoredServer(
      _ settings: String, _ body: @Sendable (MonitoredServer) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let (port, metricsPort) = (try freePort(), try freePort())
        let home = ServerHome(folder: folder, issuer: "http://localhost:\(port)", host: "127.0.0.1", port: port)
        let file = "\(folder)/settings.yaml"
        try "metrics.port: \(metricsPort)\n\(settings)".write(toFile: file, atomically: true, encoding: .utf8)
        let process = try await home.serve(["--config", file])
        defer { process.end() }
        try await AsyncHTTPClientTransport.withTransport { transport in
          let server = MonitoredServer(home: home, process: process, metricsPort: metricsPort, transport: transport)
          try await body(server)
        }
      }
    }

    @Test("metrics, health, and readiness are on the monitoring listener, and not on the main listener")
    func listener() async throws {
      try await Self.withMonitoredServer("") { server in
        #expect(try await server.get("/jwks.json", port: server.home.port).status == 200)
        let metrics = try await server.get("/metrics")
        #expect(metrics.status == 200)
        #expect(metrics.text.contains(#"sallyport_http_requests_total{method="GET",route="/jwks.json",status="2xx"} 1"#))
        #expect(metrics.text.contains("\nsallyport_store_commit_writes_count "))
        #expect(metrics.text.contains("\nprocess_resident_memory_bytes "))
        #expect(try await server.get("/healthz") == (200, "ok\n"))
        #expect(try await server.get("/readyz") == (200, "ready\n"))
        for path in ["/metrics", "/healthz", "/readyz"] {
          #expect(try await server.get(path, port: server.home.port).status == 404, "\(path)")
        }
      }
    }

    @Test("if the port of the monitoring listener is in use, the server exits and never reports that it is ready")
    func takenPort() async throws {
      try await Self.withMonitoredServer("") { server in
        // The second server reads the same settings file, and therefore has the same port for the monitoring listener.
        let (folder, port) = (server.home.folder, try freePort())
        let finished = try await run(
          ChildCommand(
            BuildFolder.command("sallyportd"),
            [
              "serve", "--data", "\(folder)/second", "--issuer", "http://localhost:\(port)", "--host", "127.0.0.1",
              "--port", "\(port)", "--config", "\(folder)/settings.yaml",
            ]), folder: folder)
        #expect(finished.status == .exited(1), "\(finished)")
        #expect(finished.errorOutput.contains("cannot listen on 127.0.0.1, port \(server.metricsPort): "), "\(finished)")
        #expect(!finished.errorOutput.contains("serving"), "\(finished)")
      }
    }

    @Test("after SIGTERM, the server finishes requests in progress; meanwhile it is healthy and not ready")
    func graceful() async throws {
      try await Self.withMonitoredServer("shutdown.timeout: 1m") { server in
        let connection = try Connection(port: server.home.port)
        defer { connection.close() }
        try connection.send(Self.partialRequest)
        try await server.wait(for: "sallyport_http_requests_in_flight 1")
        server.process.signal(SIGTERM)
        try await eventually("the server to be not ready") { try await server.get("/readyz") == (503, "stopping\n") ? () : nil }
        #expect(try await server.get("/healthz").status == 200)
        try connection.send("rant_type=x")
        #expect(try connection.receive().hasPrefix("HTTP/1.1 400 "))
        let finished = try await server.process.finish(within: .seconds(20))
        #expect(finished.status == .exited(0), "\(finished)")
        #expect(!finished.errorOutput.contains("canceled"), "\(finished)")
      }
    }

    @Test(
      "a request that is never completed delays the shutdown only until the time limit, and the log names the request's route"
    )
    func hanging() async throws {
      try await Self.withMonitoredServer("shutdown.timeout: 1s") { server in
        let connection = try Connection(port: server.home.port)
        defer { connection.close() }
        try connection.send(Self.partialRequest)
        try await server.wait(for: "sallyport_http_requests_in_flight 1")
        server.process.signal(SIGTERM)
        let finished = try await server.process.finish(within: .seconds(20))
        #expect(finished.status == .exited(0), "\(finished)")
        let lines = finished.errorOutput.split(separator: "\n")
        #expect(lines.contains { $0.contains("shutdown timed out") && $0.contains("connections=1") }, "\(finished)")
        #expect(lines.contains { $0.contains("request canceled") && $0.contains("route=/token") }, "\(finished)")
      }
    }

    @Test(
      "if the log format is JSON, each line is a JSON object; at the level 'error', the startup message is the only line",
      arguments: ["info", "error"])
    func jsonLog(level: String) async throws {
      try await Self.withMonitoredServer("log: { format: json, level: \(level) }") { server in
        _ = try await server.get("/jwks.json", port: server.home.port)
        server.process.signal(SIGTERM)
        let lines = try await server.process.finish(within: .seconds(20)).errorOutput.split(separator: "\n")
        let objects = lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(objects.count == lines.count, "\(lines)")
        let startup = objects.filter { $0["message"] as? String == "serving" }
        #expect(startup.map { $0["issuer"] as? String } == [server.home.issuer], "\(lines)")
        if level == "error" { #expect(objects.count == 1, "\(lines)") } else { #expect(objects.count > 1, "\(lines)") }
      }
    }

    @Test("the Python library of Prometheus parses the metrics", .enabled(if: Peers.areAvailable, Comment(rawValue: Peers.hint)))
    func parsed() async throws {
      try await Self.withMonitoredServer("") { server in
        _ = try await server.get("/jwks.json", port: server.home.port)
        let text = try await server.get("/metrics").text
        let finished = try await run(Peers.script("prometheus_parser.py", [], input: text), folder: server.home.folder)
        #expect(finished.status == .exited(0), "\(finished)")
        #expect(finished.output.contains("sallyport_http_requests counter\n"), "\(finished)")
        #expect(finished.output.contains("sallyport_http_request_duration_seconds histogram\n"), "\(finished)")
      }
    }

    /// A request without the last eleven bytes of its body.
    private static let partialRequest = """
      POST /token HTTP/1.1\r
      Host: localhost\r
      Content-Type: application/x-www-form-urlencoded\r
      Content-Length: 12\r
      \r
      g
      """
  }
}

/// A connection on which a test writes and reads bytes.
private struct Connection {
  private let descriptor: Int32

  init(port: UInt16) throws {
    self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw UnexpectedResult("no connection: \(String(cString: strerror(errno)))") }
    // A missing response must fail the test instead of blocking it.
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(self.descriptor, bytes, bytes.count) == bytes.count else { throw UnexpectedResult("not all bytes were sent") }
  }

  func receive() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(self.descriptor, &bytes, bytes.count)
    guard count > 0 else { throw UnexpectedResult("no response: \(count)") }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  func close() { _ = Glibc.close(self.descriptor) }
}
