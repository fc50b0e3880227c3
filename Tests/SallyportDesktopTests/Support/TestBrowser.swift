import Sallyport
import SallyportProtocol

@testable import SallyportDesktop

/// Sends requests as a browser does when it follows a redirect.
enum TestBrowser {
  static func request(_ url: String) -> String {
    guard let parts = URIComponents(url) else { return "" }
    let path = parts.path.isEmpty ? "/" : parts.path
    return "GET \(path)?\(parts.query ?? "") HTTP/1.1\r\nHost: \(parts.authority ?? "")\r\nAccept: text/html\r\n\r\n"
  }

  /// Sends the request, and returns the complete response.
  static func get(_ url: String) async -> String {
    await DedicatedThread.result("test") { () throws(Never) in
      guard let parts = URIComponents(url), let port = parts.port,
        let socket = TestSocket(parts.host == "[::1]" ? .ipv6 : .ipv4, port: port)
      else { return "no connection" }
      socket.send(self.request(url))
      return socket.readMessage()
    }.get()
  }

  /// Whether a callback URL has the state of the sign-in, which is `good` in these tests.
  @Sendable static func accepts(_ callbackURL: String) -> Bool {
    guard let url = URIComponents(callbackURL), (url.query ?? "").split(separator: "&").contains("state=good") else {
      return false
    }
    return true
  }
}

extension BoundRedirect {
  var port: UInt16 { self.redirectURI.components.port ?? 0 }
  /// The callback URL of a successful response.
  var response: String { "\(self.redirectURI)?code=c0de&state=good" }
}

extension ReceiverLimits {
  /// Timeouts of an hour, so that a test exceeds its own time limit if a connection blocks the receiver.
  static var longTimeouts: ReceiverLimits {
    var limits = ReceiverLimits()
    limits.connectionTime = .seconds(3600)
    limits.lastPageTime = .seconds(3600)
    return limits
  }
}
