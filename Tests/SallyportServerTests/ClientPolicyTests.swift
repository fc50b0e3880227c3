import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("Confidential clients")
struct ClientPolicyTests {
  @Test("S-10, S-12: a client with one secret for all installations is confidential only if it is a web client")
  func confidentiality() throws {
    for type in [ClientRecord.ClientType.public, .confidential] {
      for application in [ClientRecord.ApplicationType.native, .web] {
        var record = try TestClient.web.record
        (record.type, record.applicationType) = (type, application)
        let isConfidential = type == .confidential && application == .web
        #expect(record.isConfidential == isConfidential && record.requiresPKCE == !isConfidential)
        // S-13: an installation that registered itself has its own secret, so it is confidential even if it is native.
        // A native client must use PKCE anyway.
        var registered = record
        registered.origin = .dynamic
        #expect(registered.isConfidential == (type == .confidential))
        #expect(registered.requiresPKCE == (type == .public || application == .native))
        // S-10: the same applies to a single installation that an operator registered.
        var installation = record
        installation.details.isOneInstallation = true
        #expect(installation.isConfidential == (type == .confidential))
        #expect(installation.requiresPKCE == (type == .public || application == .native))
        // Without a stored secret, the result is the same: the client can authenticate with a key instead.
        record.secretFingerprint = nil
        #expect(record.isConfidential == isConfidential)
      }
    }
  }
}
