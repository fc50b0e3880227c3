import SallyportProtocol

extension QuirkyProvider {
  /// A user flow of Azure AD B2C.
  ///
  /// The metadata is below the URL of the user flow, but names the tenant's issuer. Below the issuer's URL, there is no
  /// metadata.
  /// https://github.com/Azure/azure-sdk-for-java/issues/21036 (read 2026-11-23)
  /// https://github.com/AzureAD/microsoft-identity-web/wiki/Azure-AD-B2C-issuer-claim-support (2020-09-22)
  package static var microsoftB2C: QuirkyProvider {
    let root = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin"
    let endpoints = Endpoints(
      metadata: "\(root)/v2.0/.well-known/openid-configuration", authorization: "\(root)/oauth2/v2.0/authorize",
      token: "\(root)/oauth2/v2.0/token", keys: "\(root)/discovery/v2.0/keys")
    let client = RegisteredClient(
      id: "90c0fe63-bcf2-44d5-8fb7-b8bbc0b29dc6", redirectURI: "http://127.0.0.1:49152/oauth2redirect")
    var b2c = QuirkyProvider("Azure AD B2C", endpoints, client)
    let issuer = "https://contoso.b2clogin.com/\(self.userTenant)/v2.0/"
    b2c.issuer = issuer
    b2c.metadata = [
      "issuer": .string(issuer), "authorization_endpoint": .string(endpoints.authorization),
      "token_endpoint": .string(endpoints.token), "jwks_uri": .string("\(root)/discovery/v2.0/keys"),
      "response_types_supported": ["code", "id_token"], "subject_types_supported": ["pairwise"],
      "id_token_signing_alg_values_supported": ["RS256"],
    ]
    b2c.refresh = .rotates
    return b2c
  }
}
