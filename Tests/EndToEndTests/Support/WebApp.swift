import HTTPTypes
import Hummingbird
import SocketTestSupport

/// A web app on a loopback port.
struct WebApp: Sendable {
  let port: Int

  /// The app's client, with a redirect URI for sign-ins in the app's window and another for sign-ins in a pop-up. The
  /// client is registered as a native app, because the redirect URIs are on loopback.
  static let client = TestClient(
    id: "web-app", name: "Web App", redirectURIs: ["http://127.0.0.1/redirected", "http://127.0.0.1/pop-up"])

  /// A redirect URI at which the app redirects the browser to ``arrival``.
  var forwardingRedirectURI: String { "http://127.0.0.1:\(self.port)/redirected" }
  /// A redirect URI with a page that passes the response to the window that opened the pop-up.
  var popUpURI: String { "http://127.0.0.1:\(self.port)/pop-up" }
  /// The page at which a sign-in with ``forwardingRedirectURI`` ends. Its origin differs from the origin of that
  /// redirect URI.
  var arrival: String { "http://localhost:\(self.port)/arrived" }

  /// Returns the URL of a page with a button. The button opens `url` in a pop-up, and the page shows the message that
  /// the pop-up sends.
  func page(opening url: String) -> String { "http://127.0.0.1:\(self.port)/#\(url)" }

  static let start = """
    <!DOCTYPE html><title>App</title><button>Sign in</button><p>Waiting</p><script>
    addEventListener('message', event => { document.querySelector('p').textContent = 'Message from ' + event.origin + event.data })
    document.querySelector('button').onclick = () => { open(location.hash.slice(1), 'sign-in', 'width=500,height=600') }
    </script>
    """

  static let popUp = """
    <!DOCTYPE html><title>Signed in</title><p>Signed in</p><script>
    if (window.opener) opener.postMessage(location.search, location.origin)
    else document.querySelector('p').textContent = 'This window has no opener'
    </script>
    """
}

/// Runs the app's web server while `body` runs.
func withWebApp(_ body: @escaping @Sendable (WebApp) async throws -> Void) async throws {
  try await SocketTestSupport.withServer { router in
    router.get("/") { _, _ in html(WebApp.start) }
    router.get("/pop-up") { _, _ in html(WebApp.popUp) }
    router.get("/redirected") { request, _ in
      let port = request.head.authority?.split(separator: ":").last ?? ""
      return Response(
        status: .found, headers: [.location: "http://localhost:\(port)/arrived?\(request.uri.query ?? "")"])
    }
    router.get("/arrived") { _, _ in html("<!DOCTYPE html><title>App</title><p>Arrived</p>") }
  } _: { port in
    try await body(WebApp(port: port))
  }
}

private func html(_ text: String) -> Response {
  Response(status: .ok, headers: [.contentType: "text/html"], body: .init(byteBuffer: ByteBuffer(string: text)))
}
