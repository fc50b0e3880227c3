import Glibc
import Sallyport
import SallyportProtocol

/// Connects to ports as a browser or another program does.
enum ProbeClient {
  static func port(of bound: BoundRedirect) -> String {
    bound.redirectURI.components.port.map { String($0) } ?? ""
  }

  static func canConnect(to host: String, port: String) -> Bool {
    guard let descriptor = self.connect(host, port) else { return false }
    close(descriptor)
    return true
  }

  /// Sends a GET request.
  /// - Returns: The status line of the response, or `no connection`.
  static func get(_ url: String) async -> String {
    guard let parts = URIComponents(url), let host = parts.host, let port = parts.port, let query = parts.query,
      let descriptor = self.connect(host.filter { $0 != "[" && $0 != "]" }, String(port))
    else { return "no connection" }
    defer { close(descriptor) }
    let request = "GET \(parts.path)?\(query) HTTP/1.1\r\nHost: \(parts.authority ?? "")\r\n\r\n"
    send(descriptor, request, request.utf8.count, 0)
    var response = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &response, response.count, Int32(MSG_WAITALL))
    return String(decoding: response[..<max(count, 0)].prefix { $0 != 0x0D }, as: UTF8.self)
  }

  static func connect(_ host: String, _ port: String) -> Int32? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &list) == 0, let entry = list?.pointee else { return nil }
    defer { freeaddrinfo(list) }
    let descriptor = socket(entry.ai_family, entry.ai_socktype, 0)
    guard Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
