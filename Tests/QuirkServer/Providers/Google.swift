import SallyportProtocol

extension QuirkyProvider {
  /// Google, with a client of the type "Desktop app". At Google, the device flow needs a second client with its own
  /// type. Here, both flows use the same client identifier.
  package static var google: QuirkyProvider {
    // The endpoints are on three hosts.
    // https://developers.google.com/identity/openid-connect/reference (read 2026-11-23)
    let endpoints = Endpoints(
      metadata: "https://accounts.google.com/.well-known/openid-configuration",
      authorization: "https://accounts.google.com/o/oauth2/v2/auth", token: "https://oauth2.googleapis.com/token",
      device: "https://oauth2.googleapis.com/device/code", revocation: "https://oauth2.googleapis.com/revoke",
      keys: "https://www.googleapis.com/oauth2/v3/certs")
    // Loopback redirects of desktop apps can have any port and any path.
    // https://developers.google.com/identity/protocols/oauth2/resources/loopback-migration (2022-02-16)
    // https://github.com/google-gemini/gemini-cli/blob/002d91056d437151caa50fb00c272af7471807c6/packages/core/src/code_assist/oauth2.ts
    // (read 2026-11-23)
    // Desktop apps and devices must send a client secret, although they cannot keep it secret.
    // https://github.com/cli/oauth/pull/24 (read 2026-11-23)
    let client = RegisteredClient(
      id: "desktop.apps.googleusercontent.com", secret: .required("GOCSPX-secret", [.form, .header]),
      redirectURI: "http://127.0.0.1:49152/", redirectMatching: .anyLoopbackURI)
    var google = QuirkyProvider("Google", endpoints, client)
    google.issuer = "https://accounts.google.com"
    // There is no end_session_endpoint. https://zenn.dev/noid11/scraps/64eb61e8240ed3 (2021-07-26)
    google.metadata = [
      "issuer": "https://accounts.google.com", "authorization_endpoint": "https://accounts.google.com/o/oauth2/v2/auth",
      "device_authorization_endpoint": "https://oauth2.googleapis.com/device/code",
      "token_endpoint": "https://oauth2.googleapis.com/token",
      "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo",
      "revocation_endpoint": "https://oauth2.googleapis.com/revoke", "jwks_uri": "https://www.googleapis.com/oauth2/v3/certs",
      "response_types_supported": ["code", "token", "id_token", "code token", "code id_token", "none"],
      "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
      "scopes_supported": ["openid", "email", "profile"],
      "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
      "code_challenge_methods_supported": ["plain", "S256"],
    ]
    google.api.url = "https://openidconnect.googleapis.com/v1/userinfo"
    // Google doesn't know the scope `offline_access`: "Some requested scopes were invalid".
    // https://github.com/lukaszraczylo/traefikoidc/issues/44 (2025-05-04)
    google.rejectedScopes = ["offline_access"]
    // The parameter `access_type=offline` requests a refresh token. Google issues another refresh token only after a
    // new consent, but this fixture issues one at each sign-in.
    // https://github.com/foks-proj/go-foks/issues/244 (2026-03-26)
    // https://github.com/googleworkspace/apps-script-oauth2/issues/26 (2015-09-09)
    // A device authorization request, which has no redirect URI, always gets a refresh token.
    // https://developers.google.com/identity/protocols/OAuth2ForDevices (read 2026-11-23)
    google.issuesRefreshToken = { $0["access_type"] == "offline" || $0["redirect_uri"] == nil }
    google.refresh = .omitsToken
    // Revoking a token twice is an error, and a revocation also ends the user's other grants for the app.
    // https://github.com/googleads/googleads-dotnet-lib/issues/204 (2019-01-04)
    google.revocation.endsAllGrants = true
    google.revocation.unknownToken = ErrorResponse("invalid_token")
    // The error for a missing secret is invalid_request instead of invalid_client.
    // https://github.com/wi3land/ionic-appauth/issues/56 (2021-03-31)
    google.errorResponse = { failure in
      guard failure == .missingSecret else { return failure.standardResponse }
      return ErrorResponse("invalid_request", members: ["error_description": "client_secret is missing."])
    }
    // The URL for the user is named `verification_url`, and not `verification_uri` (RFC 8628 §3.2).
    // https://github.com/cli/oauth/pull/24 (read 2026-11-23)
    google.changeDeviceResponse = { prompt in
      prompt["verification_uri"] = nil
      prompt["verification_url"] = "https://www.google.com/device"
    }
    return google
  }
}
