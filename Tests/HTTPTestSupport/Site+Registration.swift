import Foundation
package import HTTPTypes
package import SallyportProtocol
import SallyportSQLite
package import SallyportServer
import ServerTestSupport
package import Testing

extension Site {
  /// The metadata with which an MCP client registers itself.
  package static let mcpClient: JSONValue = [
    "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb", "http://localhost:33418/cb"],
    "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none",
  ]

  /// Registers a client.
  /// - Parameters:
  ///   - token: The initial access token.
  ///   - type: The value of `Content-Type`.
  package func register(
    _ metadata: JSONValue, token: String? = nil, type: String = "application/json"
  ) async throws -> Reply {
    var headers: HTTPFields = [.contentType: type]
    headers[.authorization] = token.map { "Bearer \($0)" }
    return try await self.send(.post, "/register", headers: headers, body: Array(try JSONEncoder().encode(metadata)))
  }

  /// Reads, updates, or deletes the registration of the client `id`.
  /// - Parameter token: The registration access token.
  package func manage(_ method: HTTPRequest.Method, _ id: String, token: String?, _ metadata: JSONValue? = nil) async throws
    -> Reply
  {
    var headers: HTTPFields = [.contentType: "application/json"]
    headers[.authorization] = token.map { "Bearer \($0)" }
    return try await self.send(
      method, "/register/\(id)", headers: headers, body: try metadata.map { Array(try JSONEncoder().encode($0)) })
  }

  package func client(_ id: String) async throws -> ClientRecord? {
    try await self.fixture.store.read { (tx) throws(StoreError) in try tx.client(ClientID(rawValue: id)) }
  }
}

extension Reply {
  package var registration: RegistrationResponse {
    get throws { try JSONDecoder().decode(RegistrationResponseJSON.self, from: Data(self.body.utf8)).response }
  }
}

/// Expects an error response of RFC 7591 §3.2.2: the status, JSON with the error code and a description, and
/// `no-store`.
package func expectRegistrationError(
  _ reply: Reply, _ code: String, status: HTTPResponse.Status = .badRequest, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(reply.status == status, sourceLocation: sourceLocation)
  #expect(reply.json["error"] == code, sourceLocation: sourceLocation)
  #expect(reply.json["error_description"]?.isEmpty == false, sourceLocation: sourceLocation)
  #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
}
