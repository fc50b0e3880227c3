import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote

extension ServerHome {
  /// Requests user information with an access token of any client, and returns the status of the response.
  func userinfoStatus(_ accessToken: String) async throws -> Int {
    try await AsyncHTTPClientTransport.withTransport { transport in
      var request = HTTPRequest.get(try EndpointURL("\(self.issuer)/userinfo"))
      request.headerFields[.authorization] = "Bearer \(accessToken)"
      return try await transport.send(request, body: [], limits: .document).head.status.code
    }
  }
}
