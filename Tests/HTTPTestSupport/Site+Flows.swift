import Foundation
package import HTTPTypes
import SallyportProtocol
import SallyportServer
package import ServerTestSupport
package import Testing

/// The tokens of an app after a sign-in.
package struct Tokens: Sendable {
  package let access: String
  package let refresh: String
  /// The ID token; empty if the response contained none.
  package let id: String

  package init(_ reply: Reply) throws {
    self.access = try #require(reply.json["access_token"])
    self.refresh = try #require(reply.json["refresh_token"])
    self.id = reply.json["id_token"] ?? ""
  }
}

extension Site {
  /// Completes the authorization request in a new browser, and returns the code that the app gets.
  package func code(_ request: AuthorizeParameters = AuthorizeParameters(), as username: String = "ada") async throws -> String {
    try #require(try await TestBrowser(self).complete(request, as: username).parameters["code"])
  }

  /// Redeems a code, with the client's secret for ``TestClient/web`` only. `changes` replaces parameters of the
  /// request, or removes them with nil.
  package func redeem(
    _ code: String, _ client: TestClient = .loopback, changing changes: [String: String?] = [:]
  ) async throws -> Reply {
    var fields: [String: String] = [
      "grant_type": "authorization_code", "code": code, "client_id": client.rawValue, "redirect_uri": client.requestedURI,
      "code_verifier": AuthorizeParameters.verifier,
    ]
    if client == .web { fields["client_secret"] = TestClient.secret }
    for (name, value) in changes { fields[name] = value }
    return try await self.post("/token", fields.map { ($0.key, $0.value) })
  }

  /// Redeems a refresh token, with the client's secret for ``TestClient/web`` only. `changes` replaces parameters of
  /// the request, or removes them with nil.
  package func refresh(
    _ token: String, _ client: TestClient = .loopback, changing changes: [String: String?] = [:]
  ) async throws -> Reply {
    var fields: [String: String] = ["grant_type": "refresh_token", "refresh_token": token, "client_id": client.rawValue]
    if client == .web { fields["client_secret"] = TestClient.secret }
    for (name, value) in changes { fields[name] = value }
    return try await self.post("/token", fields.map { ($0.key, $0.value) })
  }

  /// Signs in with a new browser, and returns the app's tokens.
  package func tokens(_ client: TestClient = .loopback, as username: String = "ada") async throws -> Tokens {
    try Tokens(try await self.redeem(try await self.code(AuthorizeParameters(client), as: username), client))
  }

  package func userinfo(_ accessToken: String) async throws -> Reply {
    try await self.send(.get, "/userinfo", headers: [.authorization: "Bearer \(accessToken)"])
  }
}

/// Returns the claims of a JWT without verifying it.
package func decodedClaims(of token: String) throws -> [String: Any] {
  let parts = token.split(separator: ".")
  let payload = try #require(parts.count == 3 ? Base64URL.decode(parts[1]) : nil)
  return try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
}

/// Expects an error response of RFC 6749 §5.2: the status, JSON with the error code and a description, and `no-store`.
package func expectTokenError(
  _ reply: Reply, _ code: String, status: HTTPResponse.Status = .badRequest,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(reply.status == status, sourceLocation: sourceLocation)
  #expect(reply.headers[.contentType] == "application/json", sourceLocation: sourceLocation)
  #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
  #expect(reply.json["error"] == code, sourceLocation: sourceLocation)
  #expect(reply.json["error_description"]?.isEmpty == false, sourceLocation: sourceLocation)
  #expect(Set(reply.json.keys) == ["error", "error_description"], sourceLocation: sourceLocation)
}

/// Expects an error page that neither redirects nor sets a cookie.
package func expectErrorPage(
  _ reply: Reply, status: HTTPResponse.Status = .badRequest, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(reply.status == status, sourceLocation: sourceLocation)
  #expect(reply.isPage, sourceLocation: sourceLocation)
  #expect(reply.location == nil, sourceLocation: sourceLocation)
  #expect(reply.headers[values: .setCookie].isEmpty, sourceLocation: sourceLocation)
}

/// Expects an error response of RFC 6749 §4.1.2.1 and RFC 9207 at the redirect URI of `request`: with the request's
/// state and the server's issuer, and without a code.
package func expectErrorRedirect(
  _ reply: Reply, _ code: String, _ request: AuthorizeParameters, description: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(reply.status == .seeOther, sourceLocation: sourceLocation)
  let redirectURI = request["redirect_uri"] ?? "?"
  let separator = redirectURI.contains("?") ? "&" : "?"
  #expect(reply.location?.hasPrefix(redirectURI + separator) == true, sourceLocation: sourceLocation)
  #expect(reply.parameters["error"] == code, sourceLocation: sourceLocation)
  #expect(reply.parameters["state"] == request["state"], sourceLocation: sourceLocation)
  #expect(reply.parameters["iss"] == "https://id.example", sourceLocation: sourceLocation)
  #expect(reply.parameters["code"] == nil, sourceLocation: sourceLocation)
  if let description { #expect(reply.parameters["error_description"] == description, sourceLocation: sourceLocation) }
}
