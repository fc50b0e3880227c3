import BrowserDriver
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

/// Completes the sign-in of a waiting `sallyport login` with plain HTTP requests instead of a browser.
/// - Returns: The redirect URI with the authorization response.
@discardableResult
func signInWithoutBrowser(_ login: Login, at server: ServerHome) async throws -> String {
  try await AsyncHTTPClientTransport.withTransport { transport in
    let browser = HTTPBrowser(issuer: server.issuer, transport: transport)
    let location = try await browser.authorize(login.url, as: server.account)
    let response = try await transport.send(.get(EndpointURL(location), accept: "text/html"), body: [], limits: .document)
    #expect(response.head.status == .ok)
    let finished = try await login.process.finish()
    #expect(finished.status == .exited(0), "\(finished)")
    return location
  }
}
