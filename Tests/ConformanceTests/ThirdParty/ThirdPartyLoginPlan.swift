import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

/// The modules of the plan for logins that a third party initiates. They test only the registration of
/// `initiate_login_uri`, not logins that start at this URI.
@Suite("oidcc-3rdparty-init-login-certification-test-plan")
struct ThirdPartyLoginPlan {
  static let loginURI = "https://rp.example/login"

  @Test("oidcc-3rd_party-init-login: the registration and the client configuration endpoint return the initiate_login_uri")
  func registered() async throws {
    try await withSite { site in
      let reply = try await site.register(RelyingParty.metadata(["initiate_login_uri": .string(Self.loginURI)]))
      #expect(reply.status == .created && reply.json["initiate_login_uri"] == Self.loginURI)
      let token = try #require(reply.json["registration_access_token"])
      let id = try #require(reply.json["client_id"])
      #expect(reply.json["registration_client_uri"] == "https://id.example/register/\(id)")
      let configuration = try await site.manage(.get, id, token: token)
      #expect(configuration.status == .ok && configuration.headers[.contentType] == "application/json")
      #expect(configuration.json["initiate_login_uri"] == Self.loginURI)
    }
  }

  @Test(
    "oidcc-3rd_party-init-login-nohttps: an initiate_login_uri without https is invalid_client_metadata",
    arguments: ["http://rp.example/login", "http://127.0.0.1:8080/login", "com.example.app:/login", "/login"])
  func withoutHTTPS(_ uri: String) async throws {
    try await withSite { site in
      let reply = try await site.register(RelyingParty.metadata(["initiate_login_uri": .string(uri)]))
      #expect(reply.headers[.contentType] == "application/json")
      expectRegistrationError(reply, "invalid_client_metadata")
    }
  }
}
