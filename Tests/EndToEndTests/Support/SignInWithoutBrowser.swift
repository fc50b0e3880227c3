import BrowserDriver
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

/// Answers a waiting `sallyport login` through plain HTTP requests.
/// - Returns: the address that the app's answer went to.
@discardableResult
func signInWithoutBrowser(_ login: Login, at server: ServerHome) async throws -> String {
  try await AsyncHTTPClientTransport.withTransport { transport in
    let person = HTTPPerson(issuer: server.issuer, transport: transport)
    let location = try await person.answer(login.url, as: server.person)
    let answer = try await transport.send(.get(EndpointURL(location), accept: "text/html"), body: [], limits: .document)
    #expect(answer.head.status == .ok)
    let finished = try await login.process.finish()
    #expect(finished.status == .exited(0), "\(finished)")
    return location
  }
}
