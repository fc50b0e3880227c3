import Foundation
import Glibc
import Synchronization

/// A small HTTP server on a loopback port with a thread for each connection. If `isListening` is `false`, the port is
/// bound, but refuses connections.
final class LoopbackServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let isListening: Bool
  /// The paths of the requests that got no response.
  private let silentPaths = Mutex(Set<String>())

  init(isListening: Bool = true) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    // 127.0.0.1
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && (!isListening || listen(listener, 8) == 0) && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    self.listener = listener
    self.isListening = isListening
    self.port = UInt16(bigEndian: address.sin_port)
    guard isListening else { return }
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          close(listener)
          return
        }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  /// Stops the server. The accepting thread closes the listener, so that the descriptor isn't reused while the thread
  /// still uses it.
  func stop() {
    if self.isListening { shutdown(self.listener, Int32(SHUT_RDWR)) } else { close(self.listener) }
  }

  /// Waits until a request for this path, which starts with `/silent`, has been received. Such a request gets no
  /// response.
  func waitForSilentRequest(at path: String) async throws {
    while !self.silentPaths.withLock({ $0.contains(path) }) { try await Task.sleep(for: .milliseconds(2)) }
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !Self.isComplete(text) {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let path = String(text.split(separator: " ")[1])
    if path.hasPrefix("/silent") {
      _ = self.silentPaths.withLock { $0.insert(path) }
      // Waits until the client closes the connection.
      _ = recv(connection, &buffer, 1, 0)
      return
    }
    let response = Array(Self.response(path, text).utf8)
    _ = send(connection, response, response.count, Int32(MSG_NOSIGNAL))
  }

  private static func isComplete(_ text: String) -> Bool {
    guard let end = text.range(of: "\r\n\r\n") else { return false }
    let length = self.field("content-length", text).flatMap { Int($0) } ?? 0
    return text[end.upperBound...].utf8.count >= length
  }

  private static func field(_ name: String, _ text: String) -> String? {
    text.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
      .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
  }

  private static func response(_ path: String, _ request: String) -> String {
    switch path {
    case "/redirect": "HTTP/1.1 307 Temporary Redirect\r\nLocation: /cookie\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    case "/cookie": self.ok(self.field("cookie", request) ?? "no cookie", headerFields: "Set-Cookie: a=b; Path=/\r\n")
    case "/large": self.ok(String(repeating: "x", count: 100_000))
    case "/echo":
      self.ok("POST \(self.field("content-type", request) ?? "") \(request.components(separatedBy: "\r\n\r\n").last ?? "")")
    default: self.ok("")
    }
  }

  private static func ok(_ body: String, headerFields: String = "") -> String {
    "HTTP/1.1 200 OK\r\n\(headerFields)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
  }
}
