import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Accepted and rejected parts of registrations", .timeLimit(.minutes(5)))
struct RegistrationReductionTests {
  private func register(_ site: Site, _ json: String) async throws -> Reply {
    try await site.send(.post, "/register", headers: [.contentType: "application/json"], body: Array(json.utf8))
  }

  @Test(
    "S-09: redirect URIs that cannot be registered are dropped, and the response contains the other URIs",
    arguments: [
      #""myapp:/cb""#, #""javascript:alert(1)""#, #""soap.beep:/cb""#, #""http://a.example/cb""#, #""https://a.example/cb#x""#,
      #""""#, #""urn:ietf:wg:oauth:2.0:oob""#, #""https://u@a.example/cb""#, #""cursor:/cb""#,
    ])
  func droppedRedirects(dropped: String) async throws {
    try await withSite { site in
      let reply = try await self.register(
        site, #"{"redirect_uris":[\#(dropped),"https://a.example/cb"],"token_endpoint_auth_method":"none"}"#)
      #expect(reply.status == .created)
      let registration = try reply.registration
      #expect(registration.metadata.redirectURIs == ["https://a.example/cb"] && registration.metadata.applicationType == "web")
      #expect(try await site.client(registration.clientID)?.redirectURIs.map(\.value) == ["https://a.example/cb"])
    }
  }

  @Test("a confidential web client keeps https and loopback redirects, and loses private-use ones")
  func webWithScheme() async throws {
    try await withSite { site in
      let registration = try await self.register(
        site,
        #"{"redirect_uris":["com.example.a:/cb","https://a.example/cb","http://localhost:5000/cb"],"application_type":"web"}"#
      ).registration
      #expect(registration.metadata.redirectURIs == ["https://a.example/cb", "http://localhost:5000/cb"])
    }
  }

  @Test("S-29, S-05: empty members and unsupported grant and response types are dropped")
  func droppedMembers() async throws {
    try await withSite { site in
      let registration = try await self.register(
        site,
        #"{"redirect_uris":["https://a.example/cb",""],"client_uri":"","logo_uri":"","policy_uri":"","tos_uri":"","jwks_uri":"","#
          + #""client_name":"","scope":"","contacts":[""],"software_id":"","application_type":"","client_name#de":"","#
          + #""grant_types":["authorization_code","implicit","password","urn:example:new","refresh_token"],"#
          + #""response_types":["code","token","id_token token"],"post_logout_redirect_uris":["","http://a.example/x","https://a.example/out"]}"#
      ).registration
      let metadata = registration.metadata
      #expect(metadata.grantTypes == ["authorization_code", "refresh_token"] && metadata.responseTypes == ["code"])
      #expect(metadata.clientURI == nil && metadata.logoURI == nil && metadata.jwksURI == nil && metadata.softwareID == nil)
      #expect(metadata.postLogoutRedirectURIs == ["https://a.example/out"] && (metadata.contacts ?? []).isEmpty)
    }
  }

  @Test(
    "S-09: a rejection names the member and the actual reason",
    arguments: [
      (#""redirect_uris":["myapp:/cb"]"#, "invalid_redirect_uri", "redirect_uris[0] must have a reversed domain name"),
      (
        #""redirect_uris":["http://a.example/","soap.beep:/cb"]"#, "invalid_redirect_uri",
        "redirect_uris[1] must not have a scheme that is registered with IANA"
      ),
      (#""redirect_uris":[]"#, "invalid_redirect_uri", "redirect_uris must not be empty"),
      (#""redirect_uris":[""]"#, "invalid_redirect_uri", "redirect_uris must not be empty"),
      (
        #""redirect_uris":["com.example.a:/cb"],"application_type":"web""#, "invalid_redirect_uri",
        "redirect_uris[0] is for native apps"
      ),
      (#""redirect_uris":"https://a.example/cb""#, "invalid_client_metadata", "redirect_uris has the wrong JSON type"),
      (#""client_name#de":1"#, "invalid_client_metadata", "client_name has the wrong JSON type"),
      (
        #""jwks_uri":"https://10.0.0.1/jwks""#, "invalid_client_metadata", "jwks_uri must not be on a loopback or private address"
      ),
      (
        #""jwks_uri":"https://localhost/jwks""#, "invalid_client_metadata",
        "jwks_uri must not be on a loopback or private address"
      ),
      (#""jwks_uri":"http://127.0.0.1/jwks""#, "invalid_client_metadata", "jwks_uri must be an https URL"),
      (
        #""backchannel_logout_uri":"https://[::1]/out""#, "invalid_client_metadata",
        "backchannel_logout_uri must not be on a loopback or private address"
      ),
      (
        #""sector_identifier_uri":"https://192.168.0.1/""#, "invalid_client_metadata",
        "sector_identifier_uri must not be on a loopback or private address"
      ),
      (#""logo_uri":"javascript:x""#, "invalid_client_metadata", "logo_uri must be an https URL without a fragment"),
      (#""client_name":"a\u202Eb""#, "invalid_client_metadata", "client_name must not contain control characters"),
      (#""contacts":["a\nb"]"#, "invalid_client_metadata", "contacts must not contain control characters"),
      (#""scope":"a\"b""#, "invalid_client_metadata", "scope must be scope values"),
      (#""scope":"admin""#, "invalid_client_metadata", "scope has no value that this server allows"),
      (#""subject_type":"pairwise""#, "invalid_client_metadata", #"subject_type must be "public""#),
      (
        #""token_endpoint_auth_method":"client_secret_jwt""#, "invalid_client_metadata",
        "token_endpoint_auth_method must be \"none\", "
      ),
      (#""application_type":"desktop""#, "invalid_client_metadata", #"application_type must be "native" or "web""#),
      (#""grant_types":["implicit"]"#, "invalid_client_metadata", #"grant_types must be "authorization_code" or"#),
      (#""response_types":["token"]"#, "invalid_client_metadata", #"response_types must be "code""#),
      (
        #""jwks":{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"}]}"#, "invalid_client_metadata",
        "jwks must be a JWK Set with one to eight public keys"
      ),
      (#""token_endpoint_auth_method":"private_key_jwt""#, "invalid_client_metadata", "jwks is required by"),
      (
        #""token_endpoint_auth_signing_alg":"ES512""#, "invalid_client_metadata",
        #"token_endpoint_auth_signing_alg must be "ES256", "ES384", "PS256", "EdDSA" or "RS256""#
      ),
      (
        #""request_object_signing_alg":"RS384""#, "invalid_client_metadata",
        #"request_object_signing_alg must be "ES256", "ES384", "PS256", "EdDSA" or "RS256""#
      ),
      (
        #""userinfo_signed_response_alg":"PS256""#, "invalid_client_metadata",
        #"userinfo_signed_response_alg must be "ES256" or "RS256""#
      ),
    ])
  func reasons(members: String, code: String, reason: String) async throws {
    try await withSite(transport: FakeTransport()) { site in
      let redirects = members.contains("redirect_uris") ? "" : #""redirect_uris":["https://a.example/cb"],"#
      let reply = try await self.register(site, "{\(redirects)\(members)}")
      expectRegistrationError(reply, code)
      #expect(reply.json["error_description"]?.contains(reason) == true, "\(reply.body)")
      // The rejected client was not added.
      #expect(try site.fixture.rows()["client"] == TestClient.allCases.count)
    }
  }

  @Test("S-09: an update keeps the acceptable parts, and drops the others")
  func update() async throws {
    try await withSite { site in
      let created = try await site.register(Site.mcpClient).registration
      var update = Site.mcpClient
      update["client_id"] = .string(created.clientID)
      update["redirect_uris"] = ["cursor://x/cb", "http://localhost/cb", "https://a.example/cb"]
      update["grant_types"] = ["authorization_code", "implicit"]
      update["logo_uri"] = ""
      let reply = try await site.manage(.put, created.clientID, token: created.registrationAccessToken?.reveal(), update)
      #expect(reply.status == .ok)
      #expect(try reply.registration.metadata.redirectURIs == ["http://localhost/cb", "https://a.example/cb"])
      #expect(try reply.registration.metadata.grantTypes == ["authorization_code"])
    }
  }

  @Test("OpenID Connect Registration §2: a request_uri with a hash as its fragment, as in the specification, can be registered")
  func requestURIFragment() async throws {
    let uri = "https://client.example.org/rf.txt#qpXaRLh_n93TTR9F252ValdatUQvQiJi5BDub2BeznA"
    try await withSite(transport: FakeTransport()) { site in
      let reply = try await self.register(site, #"{"redirect_uris":["https://a.example/cb"],"request_uris":["\#(uri)"]}"#)
      #expect(reply.status == .created)
      #expect(try reply.registration.metadata.requestURIs == [uri])
      for wrong in ["ftp://a.example/x", "https://a.example/x#a b", "https://u@a.example/x#y", "/x"] {
        let rejected = try await self.register(
          site, #"{"redirect_uris":["https://a.example/cb"],"request_uris":["\#(wrong)"]}"#)
        expectRegistrationError(rejected, "invalid_client_metadata")
      }
    }
  }
}
