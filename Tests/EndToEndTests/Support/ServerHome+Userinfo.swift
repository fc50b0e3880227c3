import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote

extension ServerHome {
  /// The status of the userinfo endpoint for an access token of any client.
  func userinfoStatus(_ accessToken: String) async throws -> Int {
    try await AsyncHTTPClientTransport.withTransport { transport in
      var request = HTTPRequest.get(try EndpointURL("\(self.issuer)/userinfo"))
      request.headerFields[.authorization] = "Bearer \(accessToken)"
      return try await transport.send(request, body: [], limits: .document).head.status.code
    }
  }
}
