import Foundation
import HTTPTypes
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportRemote
import Testing

extension ServerHome {
  private static let apiSecret = "a secret that only this test uses"

  /// Adds an API as a client, `api`, which may introspect tokens whose audience is the issuer itself.
  func addAPI() async throws {
    let options = ["--type", "service", "--auth-method", "client_secret_basic", "--scope", "notes:read"]
    try await self.runCommand(
      ["client", "add", "--client-id", "api", "--name", "API", "--audience", self.issuer, "--secret-from-stdin"] + options,
      input: Self.apiSecret + "\n")
  }

  /// Introspects a token at this server's own port, not through the load balancer. Returns whether the token is active
  /// according to the response.
  func introspectsAsActive(_ token: String) async throws -> Bool {
    try await AsyncHTTPClientTransport.withTransport { transport in
      var request = HTTPRequest.post(form: try EndpointURL("http://\(self.host):\(self.port)/introspect"))
      // The client identifier and the secret are form-encoded (RFC 6749 §2.3.1), so the only "=" is between them.
      let credentials = FormParameters.encode([("api", Self.apiSecret)]).replacing("=", with: ":")
      request.headerFields[.authorization] = "Basic \(Data(credentials.utf8).base64EncodedString())"
      let body = Array(FormParameters.encode([("token", token)]).utf8)
      let response = try await transport.send(request, body: body, limits: .document)
      #expect(response.head.status == .ok)
      return String(decoding: response.body, as: UTF8.self).contains(#""active":true"#)
    }
  }
}
