import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import QuirkServer
import SallyportProtocol
import SallyportRemote
import TestSupport

/// A client that does not use the SDK, so that a test determines every parameter.
struct RawClient {
  let server: QuirkServer
  let provider: QuirkyProvider
  /// The code verifier of RFC 7636 Appendix B.
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

  init(_ provider: QuirkyProvider) throws {
    self.provider = provider
    self.server = try QuirkServer(provider, now: { .now() })
  }

  /// The parameters of a correct authorization request.
  var authorizationRequest: [String: String] {
    let digest = SHA256.hash(data: Array(Self.verifier.utf8))
    let parameters = [
      "response_type": "code", "client_id": self.provider.client.id, "state": "state-1",
      "redirect_uri": self.provider.client.redirectURIs[0], "code_challenge": Base64URL.encode(digest),
      "code_challenge_method": "S256",
    ]
    return parameters.merging(self.provider.requiredParameters) { $1 }
  }

  /// The parameters of a correct token request.
  func tokenRequest(code: String) -> [String: String] {
    self.addingCredentials(to: [
      "grant_type": "authorization_code", "code": code, "redirect_uri": self.provider.client.redirectURIs[0],
      "code_verifier": Self.verifier,
    ])
  }

  /// Returns the parameters of a request with the client identifier and the client secret, if there is one.
  func addingCredentials(to parameters: [String: String]) -> [String: String] {
    var parameters = parameters
    parameters["client_id"] = self.provider.client.id
    switch self.provider.client.secret {
    case .mustBeAbsent, .ignored: break
    case .required(let secret, _): parameters["client_secret"] = secret
    case .signedSecret: parameters["client_secret"] = Self.appleSecret
    }
    return parameters
  }

  /// Returns the response to an authorization request, or `nil` if the user sees an error page.
  func authorize(_ parameters: [String: String]) async throws -> FormParameters? {
    let query = FormParameters.encode(parameters.map { ($0.key, $0.value) })
    let url = try EndpointURL("\(self.provider.endpoints.authorization)?\(query)")
    let response = try await self.server.send(.get(url), body: [], limits: TransferLimits())
    guard let location = response.head.headerFields[.location] else { return nil }
    return try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])
  }

  /// Returns the code of a correct authorization request.
  func code() async throws -> String {
    try await self.authorize(self.authorizationRequest)?["code"] ?? ""
  }

  /// Sends a token request.
  func token(_ parameters: [String: String]) async throws -> (status: Int, members: [String: JSONValue]) {
    let body = FormParameters.encode(parameters.map { ($0.key, $0.value) })
    let request = HTTPRequest.post(form: try EndpointURL(self.provider.endpoints.token))
    let response = try await self.server.send(request, body: Array(body.utf8), limits: TransferLimits())
    return (response.head.status.code, JSONValue.members(of: response.body) ?? [:])
  }

  /// A JWT with the header and the claims that `QuirkServer` checks for Apple. `QuirkServer` does not check the
  /// signature.
  static var appleSecret: String {
    let header = #"{"alg":"ES256","kid":"A1"}"#
    let claims = #"{"iss":"T1","sub":"com.contoso.notes.web","aud":"https://appleid.apple.com","exp":1900000000}"#
    return "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8))).c2ln"
  }
}
