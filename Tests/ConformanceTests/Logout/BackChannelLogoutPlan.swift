import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The modules of the Back-Channel Logout plan of the OpenID Foundation's conformance suite.
@Suite("oidcc-backchannel-rp-initiated-logout-certification-test-plan")
struct BackChannelLogoutPlan {
  static let logoutURI = "https://web.example/backchannel"

  @Test("oidcc-backchannel-logout-discovery-endpoint-verification: the metadata announces back-channel logout with sessions")
  func discovery() async throws {
    try await withSite(transport: FakeTransport()) { site in
      let metadata = try await site.metadata()
      #expect(metadata.flag("backchannel_logout_supported") == true)
      #expect(metadata.flag("backchannel_logout_session_supported") == true)
      #expect(metadata.string("end_session_endpoint") != nil)
    }
  }

  @Test(
    "oidcc-backchannel-rp-initiated-logout: the client gets a valid logout token, and the user returns to the client signed out")
  func completeFlow() async throws {
    let transport = FakeTransport()
    transport.on(Self.logoutURI, respond: .text("", status: .ok))
    try await withSite(transport: transport) { site in
      let user = try await LogoutPlan.signedInUser(site) {
        $0.details.backchannelLogoutURI = Self.logoutURI
        $0.details.backchannelLogoutSessionRequired = true
      }
      let idToken = try await IDToken.verified(user.idToken, for: user.party)
      let reply = try await LogoutPlan.signOut(
        user, [("id_token_hint", user.idToken), ("post_logout_redirect_uri", LogoutPlan.postLogoutURI)])
      #expect(reply.location == LogoutPlan.postLogoutURI)
      _ = try await site.fixture.server.logoutDeliveries.deliverDue()
      let posted = try #require(transport.requests(to: Self.logoutURI).first)
      let token = try #require(posted.form?["logout_token"])
      let logout = try await LogoutToken.verified(token, on: site)
      // Back-Channel Logout §2.4.
      #expect(logout.iss == "https://id.example" && logout.aud.values == [user.party.id])
      #expect(logout.sub == idToken.sub && logout.sid == idToken.sid && idToken.sid != nil)
      #expect(logout.events.keys.contains("http://schemas.openid.net/event/backchannel-logout"))
      #expect(logout.nonce == nil && !logout.jti.isEmpty && logout.iat <= site.now && logout.exp > site.now)
      #expect(try await LogoutPlan.isSignedOut(user))
    }
  }
}
