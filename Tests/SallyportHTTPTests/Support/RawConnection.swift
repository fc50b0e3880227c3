import Glibc
import Testing

/// A client connection for tests that write raw bytes. Blocking reads run on their own thread.
final class RawConnection: Sendable {
  private let descriptor: Int32

  /// - Parameter host: The last byte of the loopback address to connect from.
  init(port: Int, from host: UInt8 = 1) throws {
    self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let local = Self.withAddress(host: host, port: 0) { bind(self.descriptor, $0, $1) }
    let remote = Self.withAddress(host: 1, port: port) { connect(self.descriptor, $0, $1) }
    try #require(local == 0 && remote == 0)
    // A read that receives nothing fails after this time.
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func withAddress(host: UInt8, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 + UInt32(host)).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  deinit {
    Glibc.close(self.descriptor)
  }

  /// Closes the sending side.
  func close() {
    shutdown(self.descriptor, Int32(SHUT_WR))
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  func get(_ path: String) {
    self.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
  }

  func post(_ path: String, _ form: String) {
    self.send(
      """
      POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
      Content-Length: \(form.utf8.count)\r\n\r\n\(form)
      """)
  }

  /// Returns one response with its body, or what arrived before the connection ended or a read timed out.
  func response() async -> String {
    await self.read { text in
      guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
      let length = text.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
      return text[end.upperBound...].utf8.count >= length
    }
  }

  /// Returns everything until the server closes the connection, or nil if the server sends nothing for 120 seconds.
  func readToEnd() async -> String? {
    let text = await self.read { _ in false }
    return text.hasSuffix("\u{0}") ? nil : text
  }

  private func read(until isDone: @escaping @Sendable (String) -> Bool) async -> String {
    await withCheckedContinuation { continuation in
      Thread.run {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
          let count = recv(self.descriptor, &buffer, buffer.count, 0)
          // A zero byte at the end marks a read that timed out.
          if count < 0, errno == EAGAIN { content.append(0) }
          if count > 0 { content += buffer[..<count] }
          let text = String(decoding: content, as: UTF8.self)
          if count <= 0 || isDone(text) { return continuation.resume(returning: text) }
        }
      }
    }
  }
}

private enum Thread {
  /// Runs `body` on a new thread of the operating system.
  static func run(_ body: @escaping @Sendable () -> Void) {
    final class Box { let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body } }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    pthread_detach(thread)
  }
}
