import SallyportProtocol

extension QuirkyProvider {
  /// Microsoft Entra with one tenant.
  package static var microsoftTenant: QuirkyProvider {
    .microsoft(self.userTenant, named: "Microsoft, one tenant")
  }

  /// Microsoft Entra for the users of every tenant and for personal accounts.
  ///
  /// The metadata has a template in place of the issuer, and ID tokens have the issuer of the user's tenant.
  /// https://github.com/coreos/go-oidc/issues/121 (read 2026-11-23),
  /// https://github.com/MicrosoftDocs/azure-docs/issues/38427 (2019-09)
  package static var microsoftCommon: QuirkyProvider { .microsoft("common", named: "Microsoft, common") }

  /// Microsoft Entra for the users of every tenant, without personal accounts.
  package static var microsoftOrganizations: QuirkyProvider { .microsoft("organizations", named: "Microsoft, organizations") }

  /// The tenant of the user.
  package static let userTenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

  private static func microsoft(_ tenant: String, named name: String) -> QuirkyProvider {
    let root = "https://login.microsoftonline.com/\(tenant)"
    let endpoints = Endpoints(
      metadata: "\(root)/v2.0/.well-known/openid-configuration", authorization: "\(root)/oauth2/v2.0/authorize",
      token: "\(root)/oauth2/v2.0/token", device: "\(root)/oauth2/v2.0/devicecode", keys: "\(root)/discovery/v2.0/keys")
    // Microsoft ignores the port of a loopback redirect, but compares its path. `[::1]` is not supported, and
    // the portal's text box rejects `http://127.0.0.1`.
    // https://github.com/MicrosoftDocs/entra-docs/blob/0358995965b03e866d4b22a25625f4c558f121b9/docs/identity-platform/reply-url.md
    // (2022-08-25)
    let client = RegisteredClient(
      id: "535fb089-9ff3-47b6-9bfb-4f1264799865", redirectURI: "http://localhost:49152/oauth2redirect")
    var microsoft = QuirkyProvider(name, endpoints, client)
    microsoft.issuer = "https://login.microsoftonline.com/\(self.userTenant)/v2.0"
    let isTemplate = tenant != self.userTenant
    // There is no revocation endpoint.
    // https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc (2026-06-30)
    microsoft.metadata = [
      "issuer": .string("https://login.microsoftonline.com/\(isTemplate ? "{tenantid}" : tenant)/v2.0"),
      "authorization_endpoint": .string(endpoints.authorization), "token_endpoint": .string(endpoints.token),
      "device_authorization_endpoint": .string("\(root)/oauth2/v2.0/devicecode"),
      "jwks_uri": .string("\(root)/discovery/v2.0/keys"), "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo",
      "end_session_endpoint": .string("\(root)/oauth2/v2.0/logout"),
      "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
      "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
      "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
    ]
    microsoft.api.url = "https://graph.microsoft.com/oidc/userinfo"
    // Each key names the issuer whose tokens it signs.
    // https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens (read 2026-11-23)
    if isTemplate { microsoft.keyMembers = ["issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"] }
    microsoft.changeClaims = { $0["tid"] = .string(self.userTenant) }
    microsoft.refresh = .rotates
    microsoft.apiForScope = self.microsoftAPI
    // The source of ext_expires_in: https://pastebin.com/q1WaXRVx (2019-05-22). The granted scope doesn't list
    // offline_access: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow (read
    // 2026-11-23)
    microsoft.changeTokens = { response in
      response["ext_expires_in"] = 3600
      guard case .string(let scope)? = response["scope"] else { return }
      response["scope"] = .string(scope.split(separator: " ").filter { $0 != "offline_access" }.joined(separator: " "))
    }
    microsoft.errorResponse = self.microsoftError
    // The response contains a sentence for the user (`message`), and no `verification_uri_complete`.
    // https://github.com/MicrosoftDocs/entra-docs/blob/0358995965b03e866d4b22a25625f4c558f121b9/docs/identity-platform/v2-oauth2-device-code.md
    // (2024-01-10)
    microsoft.changeDeviceResponse = { prompt in
      prompt["verification_uri"] = "https://microsoft.com/devicelogin"
      prompt["message"] = "To sign in, use a web browser to open the page https://microsoft.com/devicelogin."
    }
    return microsoft
  }

  /// An API whose scope the user has not consented to.
  package static let unconsentedAPI = "api://ledger.contoso.example"

  /// Returns the API that the scope values of a request name. `nil` means Microsoft Graph, which is also used if no
  /// value names an API.
  ///
  /// The part of a scope value before the last slash is the name of its API. All scope values with a slash must belong
  /// to the same API. Values without a slash, such as `openid`, belong to no API. `QuirkServer` applies the other rules
  /// of Microsoft: a refresh request without a scope has the scope of the previous refresh or of the sign-in, and a
  /// response contains a refresh token only if the scope contains `offline_access`.
  /// https://learn.microsoft.com/en-us/entra/identity-platform/scopes-oidc (read 2026-11-23),
  /// https://github.com/MicrosoftDocs/azure-docs/pull/67408 (2020-12-09)
  @Sendable private static func microsoftAPI(_ scope: String) throws(Rejection) -> String? {
    let apis = Set(scope.split(separator: " ").compactMap { value in value.lastIndex(of: "/").map { String(value[..<$0]) } })
    guard apis.count <= 1 else { throw Rejection(.invalidScope) }
    if apis.first == self.unconsentedAPI { throw Rejection(.noConsent) }
    return apis.first == "https://graph.microsoft.com" ? nil : apis.first
  }

  /// The error codes of the device flow are from the page v2-oauth2-device-code.md (see above). The additional members
  /// are from https://pastebin.com/q1WaXRVx (2019-05-22).
  private static func microsoftError(_ failure: Failure) -> ErrorResponse {
    var response = failure.standardResponse
    switch failure {
    case .denied: response.code = "authorization_declined"
    case .unknownDeviceCode: response.code = "bad_verification_code"
    default: break
    }
    response.members = [
      "error_description": "AADSTS70000: The request failed.\r\nTrace ID: 03690b71\r\nTimestamp: 2019-05-22 08:24:33Z",
      "error_codes": [70000], "timestamp": "2019-05-22 08:24:33Z", "trace_id": "03690b71-4056-49b9",
      "correlation_id": "b70a7b7b-963b-4cd6",
    ]
    // https://learn.microsoft.com/en-us/answers/questions/1520238/rest-api-flow-authentication-on-management-azure-c
    // (2024-01-31)
    if failure == .noConsent { response.members["suberror"] = "consent_required" }
    return response
  }
}
