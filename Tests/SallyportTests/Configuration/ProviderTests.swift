import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Provider presets", .timeLimit(.minutes(1)))
struct ProviderTests {
  @Test(
    "the presets for Google, Microsoft, Auth0, Okta, Keycloak, Cognito, and Azure AD B2C have their provider's issuer, and GitLab's has the device authorization endpoint"
  )
  func issuers() throws {
    #expect(ServerConfiguration.google.issuer.value == "https://accounts.google.com")
    #expect(try ServerConfiguration.microsoft(tenant: "common").issuer.value == "https://login.microsoftonline.com/common/v2.0")
    #expect(
      try ServerConfiguration.auth0(domain: "contoso.eu.auth0.com", audience: nil).issuer.value == "https://contoso.eu.auth0.com/"
    )
    #expect(try ServerConfiguration.okta(domain: "contoso.okta.com").issuer.value == "https://contoso.okta.com/oauth2/default")
    #expect(
      try ServerConfiguration.okta(domain: "contoso.okta.com", authorizationServer: nil).issuer.value
        == "https://contoso.okta.com")
    for url in ["https://sso.example", "https://sso.example/"] {
      let server = try ServerConfiguration.keycloak(EndpointURL(url), realm: "notes")
      #expect(server.issuer.value == "https://sso.example/realms/notes")
    }
    #expect(
      try ServerConfiguration.cognito(region: "eu-central-1", userPool: "eu-central-1_a").issuer.value
        == "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a")
    #expect(ServerConfiguration.gitLab.metadata["device_authorization_endpoint"] == "https://gitlab.com/oauth/authorize_device")
    let b2c = try ServerConfiguration.microsoftB2C(name: "contoso", tenantID: "8eaef023", policy: "B2C_1_signin")
    #expect(b2c.issuer.value == "https://contoso.b2clogin.com/8eaef023/v2.0/")
  }

  @Test(
    "a domain must be a host name and nothing else, so that it cannot change the host of the URL",
    arguments: [
      "evil.example/", "user@evil.example", "evil.example#", "evil.example?", "a:b@evil.example", "evil.example:1", "a b", "",
    ])
  func names(name: String) {
    #expect(throws: EndpointURLError.malformed) { try ServerConfiguration.auth0(domain: name, audience: nil) }
    #expect(throws: EndpointURLError.malformed) { try ServerConfiguration.okta(domain: name) }
  }

  @Test("at Slack, scope values that Slack rejects are not requested, no ID token is expected, and the user's token is used")
  func scopes() async throws {
    let fixture = try SignInFixture()
    let user = try FakeBrowser { [SignInFixture.response(to: $0, iss: nil)] }
    fixture.transport.on(
      "https://slack.com/api/oauth.v2.access",
      respond: .json(
        #"{"ok":true,"access_token":"xoxb-bot","token_type":"bot","team":{"id":"T1"},"authed_user":{"id":"U1","#
          + #""access_token":"xoxp-user","refresh_token":"xoxe-1","expires_in":43200,"token_type":"user"}}"#))
    fixture.transport.on("https://slack.com/api/auth.test", respond: .json(#"{"ok":true,"user_id":"U1","user":"ada"}"#))
    let client = OAuthClient(
      server: .slack, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
      now: fixture.clock.dates)
    let session = try await client.signIn(scopes: [.openID, .offlineAccess, "chat:write"], via: user, receiver: user)
    let request = try FormParameters(parsing: #require(user.opened.first?.split(separator: "?").last))
    #expect(request["user_scope"] == "chat:write")
    #expect(request["scope"] == nil)
    #expect(try await session.accessToken().reveal() == "xoxp-user", "the user's token, not the bot's")
    #expect(await session.isRenewable)
    let info = try await session.userInfo()
    #expect(info.subject == "U1" && info.preferredUsername == "ada")
    let accountRequest = try #require(fixture.transport.requests(to: "https://slack.com/api/auth.test").first)
    #expect(accountRequest.head.method == .post && accountRequest.head.headerFields[.authorization] == "Bearer xoxp-user")

    fixture.transport.on(
      "https://slack.com/api/oauth.v2.access",
      respond: .json(#"{"ok":true,"access_token":"xoxp-2","refresh_token":"xoxe-2","expires_in":43200,"token_type":"user"}"#))
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "xoxp-2")
  }

  @Test(
    "if Slack's response contains no user token, the sign-in fails and doesn't use the bot token", arguments: ["bot", "Bearer"])
  func botOnly(type: String) async throws {
    let fixture = try SignInFixture()
    let user = try FakeBrowser { [SignInFixture.response(to: $0, iss: nil)] }
    fixture.transport.on(
      "https://slack.com/api/oauth.v2.access",
      respond: .json(#"{"ok":true,"access_token":"xoxb-bot","token_type":"\#(type)","authed_user":{"id":"U1"}}"#))
    let client = OAuthClient(
      server: .slack, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
      now: fixture.clock.dates)
    await #expect(throws: SignInError.tokenResponse(.malformed)) {
      try await client.signIn(scopes: ["chat:write"], via: user, receiver: user)
    }
  }

  @Test("a GitHub account is identified by its number, and requests to GitHub's API have a User-Agent")
  func gitHub() async throws {
    let fixture = try SignInFixture()
    let user = try FakeBrowser { [SignInFixture.response(to: $0, iss: nil)] }
    fixture.transport.on(
      "https://github.com/login/oauth/access_token", respond: .json(#"{"access_token":"gho_1","token_type":"bearer"}"#))
    fixture.transport.on("https://api.github.com/user", respond: .json(#"{"id":583231,"login":"octocat","email":null}"#))
    let client = OAuthClient(
      server: .gitHub, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
      clientSecret: .insecureShared(Secret("hush")), now: fixture.clock.dates)
    let session = try await client.signIn(scopes: [.openID, "repo"], via: user, receiver: user)
    let info = try await session.userInfo()
    #expect(info.subject == "583231" && info.preferredUsername == "octocat" && info.email == nil)
    let request = try #require(fixture.transport.requests(to: "https://api.github.com/user").first)
    #expect(request.head.headerFields[.userAgent] == "Sallyport")
    let exchange = try #require(fixture.transport.requests(to: "https://github.com/login/oauth/access_token").first)
    #expect(exchange.form?["client_secret"] == "hush" && exchange.head.headerFields[.accept] == "application/json")
  }

  @Test(
    "if the account response does not identify the account, userInfo() throws an error",
    arguments: ["{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":true}"#, #"{"id":{"a":1}}"#, "[]", "x"])
  func account(json: String) async throws {
    let fixture = try SignInFixture()
    fixture.transport.on("https://api.example/me", respond: .json(json))
    let user = try fixture.browser()
    fixture.grantTokens(to: user)
    var server = ServerConfiguration(issuer: fixture.server.issuer)
    server.account = ServerConfiguration.AccountRequest(try EndpointURL("https://api.example/me"), identifier: "id")
    let session = try await OAuthClient(
      server: server, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
      now: fixture.clock.dates
    ).signIn(scopes: ["read"], via: user, receiver: user)
    await #expect(throws: SessionError.userInfo(.malformed)) { try await session.userInfo() }
  }

  @Test("C-19: with an issuer template, an iss in the authorization response must be the issuer of an allowed tenant")
  func tenantInResponse() async throws {
    var server = try ServerConfiguration.microsoft(tenant: "common", allowed: ["t1"])
    server.discovery = .none
    server.authorizationEndpoint = try EndpointURL("https://login.microsoftonline.com/common/authorize")
    server.tokenEndpoint = try EndpointURL(SignInFixture.tokenURL)
    server.metadata["issuer"] = .string("https://login.microsoftonline.com/{tenantid}/v2.0")
    let fixture = try SignInFixture()
    for (tenant, isAllowed) in [("t1", true), ("t2", false), ("t1/v2.0/x", false)] {
      let user = try FakeBrowser {
        [SignInFixture.response(to: $0, iss: "https://login.microsoftonline.com/\(tenant)/v2.0")]
      }
      fixture.grantTokens(to: user)
      let client = OAuthClient(
        server: server, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
        now: fixture.clock.dates)
      if isAllowed {
        _ = try await client.signIn(scopes: ["read"], via: user, receiver: user)
      } else {
        await #expect(throws: SignInError.response(.issuerMismatch)) {
          try await client.signIn(scopes: ["read"], via: user, receiver: user)
        }
      }
    }
  }
}
