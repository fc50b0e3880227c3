public import SallyportProtocol

extension ServerConfiguration {
  /// Microsoft Entra, with the users of one tenant or of several.
  ///
  /// Register the app's redirect URI for the platform *Mobile and desktop applications*. The default loopback redirect
  /// URI is `http://localhost/oauth2redirect/` followed by the issuer without its scheme. Microsoft's portal rejects
  /// `http://127.0.0.1`, so ``loopbackHost`` is `LoopbackHost.localhost`.
  /// - Parameters:
  ///   - tenant: The tenant's identifier or one of its domain names; or `organizations` for work and school accounts
  ///     of any tenant, `consumers` for personal accounts, or `common` for both. `TenantPolicy` describes what the app
  ///     gives up with `common` and `organizations`.
  ///   - allowed: The identifiers of the tenants whose users may sign in, or `nil` for all tenants.
  /// - Throws: `EndpointURLError` if the tenant doesn't form a valid URL.
  public static func microsoft(
    tenant: String, allowed: Set<String>? = nil
  ) throws(EndpointURLError) -> ServerConfiguration {
    // The tenant of all personal accounts.
    // https://learn.microsoft.com/dotnet/api/microsoft.identity.client.tenantprofile (read 2026-11-23)
    let tenant = tenant == "consumers" ? "9188040d-6c67-4c5b-b112-36a304b66dad" : tenant
    guard !tenant.isEmpty, !tenant.contains("/") else { throw .malformed }
    var server = ServerConfiguration(issuer: try Issuer("https://login.microsoftonline.com/\(tenant)/v2.0"))
    // For common and organizations, the issuer in the metadata contains the placeholder {tenantid}. For a domain name,
    // it contains the identifier of the tenant.
    // https://github.com/coreos/go-oidc/issues/121 (read 2026-11-23)
    server.tenants = TenantPolicy(
      issuerTemplate: "https://login.microsoftonline.com/\(TenantPolicy.placeholder)/v2.0", allowed: allowed)
    // https://github.com/MicrosoftDocs/entra-docs/blob/0358995965b03e866d4b22a25625f4c558f121b9/docs/identity-platform/reply-url.md
    // (2022-08-25)
    server.loopbackHost = .localhost
    return server
  }

  /// A user flow or custom policy of Azure AD B2C.
  /// - Parameters:
  ///   - name: The tenant's name, as in `NAME.b2clogin.com` and `NAME.onmicrosoft.com`.
  ///   - tenantID: The tenant's identifier.
  ///   - policy: The name of the policy, for example `B2C_1_signin`.
  /// - Throws: `EndpointURLError` if the parameters don't form a valid URL.
  public static func microsoftB2C(
    name: String, tenantID: String, policy: String
  ) throws(EndpointURLError) -> ServerConfiguration {
    guard ![name, tenantID, policy].contains(where: { $0.isEmpty || $0.contains("/") }) else { throw .malformed }
    // The metadata is at the policy's URL, and names the tenant's issuer.
    // https://github.com/Azure/azure-sdk-for-java/issues/21036 (read 2026-11-23)
    var server = ServerConfiguration(issuer: try Issuer("https://\(name).b2clogin.com/\(tenantID)/v2.0/"))
    server.discovery = .document(
      try EndpointURL(
        "https://\(name).b2clogin.com/\(name).onmicrosoft.com/\(policy)/v2.0/.well-known/openid-configuration"))
    return server
  }
}
