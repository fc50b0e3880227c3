import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("What a client has to prove")
struct ClientPolicyTests {
  @Test("S-10 S-12: only a web client that is registered as confidential is one, and one without a secret cannot authenticate")
  func confidentiality() throws {
    for type in [ClientRecord.ClientType.public, .confidential] {
      for application in [ClientRecord.ApplicationType.native, .web] {
        var record = try TestClient.web.record
        (record.type, record.applicationType) = (type, application)
        let isConfidential = type == .confidential && application == .web
        #expect(record.isConfidential == isConfidential && record.requiresPKCE == !isConfidential)
        // S-13: each install of an app that registered itself has a secret of its own. PKCE stays due all the same.
        var registered = record
        registered.origin = .dynamic
        #expect(registered.isConfidential == (type == .confidential))
        #expect(registered.requiresPKCE == (type == .public || application == .native))
        // S-10: so has an installation that an operator registered by itself.
        var installation = record
        installation.details.isOneInstallation = true
        #expect(installation.isConfidential == (type == .confidential))
        #expect(installation.requiresPKCE == (type == .public || application == .native))
        record.secretFingerprint = nil
        #expect(record.isConfidential == isConfidential)
      }
    }
  }
}
