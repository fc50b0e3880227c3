package import SallyportProtocol

/// How a provider's servers differ from the RFCs, and what they check.
///
/// The files in `Providers` describe the providers. Their comments name the sources of the differences: a URL or a
/// package, followed by the version, or by the date of the page, issue, or commit. If a page has no date, the comment
/// says when the page was read.
package struct QuirkyProvider: Sendable, CustomStringConvertible {
  package let name: String
  package var endpoints: Endpoints
  package var client: RegisteredClient

  /// The metadata document, or `nil` for a provider without one.
  package var metadata: JSONValue?
  /// The `iss` of ID tokens, or `nil` for a provider without OpenID Connect.
  package var issuer: String?
  /// Parameters that an authorization request must have, with their values.
  package var requiredParameters: [String: String] = [:]
  /// An additional check of authorization requests. Returns the error description, or `nil` if the check passes.
  package var checkAuthorization: @Sendable (FormParameters) -> String? = { _ in nil }
  /// Scopes that the provider rejects.
  package var rejectedScopes: Set<String> = []
  package var pkce = PKCE.required
  /// Whether the provider issues a refresh token for an authorization or device authorization request. By default, it
  /// does if the scope contains `offline_access`.
  package var issuesRefreshToken: @Sendable (FormParameters) -> Bool = { $0.hasScope("offline_access") }
  package var refresh = RefreshBehavior.returnsSameToken
  /// Returns the API that a new access token is for, given the scope of the refresh request; `nil` for the API of the
  /// sign-in. If the property itself is `nil`, the provider ignores the scope of refresh requests.
  package var apiForScope: (@Sendable (_ scope: String) throws(Rejection) -> String?)?
  package var revocation = RevocationBehavior()
  package var api = APIBehavior()

  /// Changes a token response.
  package var changeTokens: @Sendable (inout JSONValue) -> Void = { _ in }
  /// Changes the claims of an ID token.
  package var changeClaims: @Sendable (inout JSONValue) -> Void = { _ in }
  /// Changes the response of the device authorization endpoint.
  package var changeDeviceResponse: @Sendable (inout JSONValue) -> Void = { _ in }
  /// Returns the error response to a rejected request.
  package var errorResponse: @Sendable (Failure) -> ErrorResponse = { $0.standardResponse }
  /// Additional members of each key in the JWK Set.
  package var keyMembers: [String: JSONValue] = [:]

  package init(_ name: String, _ endpoints: Endpoints, _ client: RegisteredClient) {
    self.name = name
    self.endpoints = endpoints
    self.client = client
  }

  package var description: String { self.name }

  /// The hosts of the provider's URLs.
  package var hosts: [String] {
    let endpoints = self.endpoints
    let urls = [
      endpoints.metadata, endpoints.authorization, endpoints.token, endpoints.device, endpoints.revocation, endpoints.keys,
      self.api.url,
    ]
    // The parts of a URL are `https:`, the host, and the parts of the path.
    let hosts = urls.compactMap { $0?.split(separator: "/").dropFirst().first }
    return Set(hosts.map(String.init)).sorted()
  }
}

extension QuirkyProvider {
  /// The URLs of the endpoints.
  package struct Endpoints: Sendable {
    package var metadata: String?
    package var authorization: String
    package var token: String
    package var device: String?
    package var revocation: String?
    package var keys: String?

    package init(
      metadata: String? = nil, authorization: String, token: String, device: String? = nil, revocation: String? = nil,
      keys: String? = nil
    ) {
      self.metadata = metadata
      self.authorization = authorization
      self.token = token
      self.device = device
      self.revocation = revocation
      self.keys = keys
    }
  }

  package enum PKCE: Sendable {
    /// The request must have a challenge.
    case required
    /// The challenge can be omitted. If the request has one, the verifier is checked.
    case optional
  }

  /// How a refresh changes the refresh token.
  package enum RefreshBehavior: Sendable {
    /// The response contains no refresh token, and the old one stays valid.
    case omitsToken
    /// The response repeats the refresh token.
    case returnsSameToken
    /// The response contains a new refresh token, and the old one is invalid.
    case rotates
  }

  /// What a revocation does.
  package struct RevocationBehavior: Sendable {
    /// Whether revoking one token ends all of the user's grants for the app, and not only the grant that the token
    /// belongs to.
    package var endsAllGrants = false
    /// The response for a token that is unknown or already revoked, or `nil` for status 200, which RFC 7009 §2.2
    /// requires.
    package var unknownToken: ErrorResponse?
  }

  /// An API that accepts the access token, and the API's response. By default, it is an API of the app's developer. It
  /// can also be the provider's UserInfo endpoint or another API of the provider.
  package struct APIBehavior: Sendable {
    package var url = "https://api.contoso.example/me"
    package var method = "GET"
    package var response: JSONValue = ["sub": "ada", "name": "Ada"]
  }
}

extension FormParameters {
  package func hasScope(_ name: Substring) -> Bool {
    (self["scope"] ?? "").split(separator: " ").contains(name)
  }
}
