import Glibc

@testable import SallyportDesktop

/// A blocking client socket, for use on a separate thread.
final class TestSocket: Sendable {
  let descriptor: Int32

  /// Connects to a port. Returns `nil` if the connection fails.
  /// - Parameter host: The IP address to connect to, whose port is ignored; `nil` for the loopback address.
  init?(_ family: SocketAddress.Family = .ipv4, port: UInt16, host: SocketAddress? = nil) {
    let descriptor = socket(family.raw, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let address = SocketAddress(
      family: family, words: host?.words ?? SocketAddress.loopback(family, port: port).words, port: port)
    guard address.withSystemAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit {
    close(self.descriptor)
  }

  func send(_ bytes: [UInt8]) {
    _ = self.sendAll(bytes)
  }

  /// - Returns: The number of bytes that were sent. It is smaller than `bytes.count` if the peer closed the connection.
  func sendAll(_ bytes: [UInt8]) -> Int {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemSend(self.descriptor, $0) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    return bytes.count - rest.count
  }

  func send(_ text: String) {
    self.send(Array(text.utf8))
  }

  /// Reads to the end of the stream.
  func readAll() -> String {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let count = recv(self.descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: content, as: UTF8.self) }
      content += buffer[..<count]
    }
  }

  /// Reads a response as a browser does, until its `Content-Length` is reached.
  func readMessage() -> String {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let text = String(decoding: content, as: UTF8.self)
      if let length = text.split(separator: "Content-Length: ").dropFirst().first.flatMap({ Int($0.prefix { $0.isNumber }) }),
        let head = text.split(separator: "\r\n\r\n", maxSplits: 1).first, content.count >= head.utf8.count + 4 + length
      {
        return text
      }
      let count = recv(self.descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      content += buffer[..<count]
    }
  }

  /// Shuts down the connection. A linger time of zero makes the system send a reset when the socket is closed.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    shutdown(self.descriptor, Int32(SHUT_RDWR))
  }

  static func canConnect(_ family: SocketAddress.Family = .ipv4, port: UInt16, host: SocketAddress? = nil) -> Bool {
    TestSocket(family, port: port, host: host) != nil
  }
}
