import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

@Suite("Registrations")
struct RegistrationTests {
  @Test("a registration with each algorithm succeeds", arguments: COSEAlgorithm.allCases)
  func algorithms(_ algorithm: COSEAlgorithm) async throws {
    var authenticator = try Example.authenticator(algorithm)
    authenticator.signCount = 5
    let credential = try await Example.register(&authenticator).get()
    #expect(credential.id == authenticator.credentialID)
    #expect(credential.publicKey == authenticator.key.coseKey.bytes)
    #expect(credential.algorithm == algorithm)
    #expect(credential.signCount == 5)
    #expect(credential.isBackupEligible && credential.isBackedUp && credential.isUserVerified)
    #expect(credential.attestation == .none)
    #expect(credential.transports == ["hybrid", "internal"])
  }

  /// A change to a correct registration, and the error that it must lead to; nil if the registration is still accepted.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: WebAuthnError?
    let apply: @Sendable (inout SoftwareAuthenticator) throws -> Void

    init(
      _ description: String, _ error: WebAuthnError?, _ apply: @escaping @Sendable (inout SoftwareAuthenticator) throws -> Void
    ) {
      (self.testDescription, self.error, self.apply) = (description, error, apply)
    }
  }

  static let changes: [Change] = [
    Change("no change", nil) { _ in },
    Change("another origin", .originMismatch) { $0.origin = "https://example.com" },
    Change("a subdomain of the origin", .originMismatch) { $0.origin = "https://a.login.example.org" },
    Change("the origin with another port", .originMismatch) { $0.origin = "https://login.example.org:8443" },
    Change("the origin with http", .originMismatch) { $0.origin = "http://login.example.org" },
    Change("the origin with a slash", .originMismatch) { $0.origin = "https://login.example.org/" },
    Change("the origin in uppercase", .originMismatch) { $0.origin = "https://LOGIN.example.org" },
    Change("the credential of another relying party", .relyingPartyMismatch) { $0.relyingPartyID = "example.com" },
    Change("no user verification", .userNotVerified) { $0.flags.remove(.userVerified) },
    Change("no user presence", .userNotPresent) { $0.flags.remove(.userPresent) },
    Change("backed up but not eligible", .backupStateWithoutEligibility) { $0.flags.remove(.backupEligible) },
    Change("neither eligible nor backed up", nil) { $0.flags.subtract([.backupEligible, .backedUp]) },
    Change("reserved flags", nil) { $0.flags.insert(AuthenticatorFlags(rawValue: 0x22)) },
    Change("another challenge", .challengeMismatch) { $0.clientDataMembers["challenge"] = "AAAA" },
    Change("an empty challenge", .challengeMismatch) { $0.clientDataMembers["challenge"] = "" },
    Change("the other ceremony", .ceremonyMismatch) { $0.clientDataMembers["type"] = "webauthn.get" },
    Change("a frame on another origin", .crossOrigin) { $0.clientDataMembers["crossOrigin"] = true },
    Change("a top origin", .crossOrigin) { $0.clientDataMembers["topOrigin"] = "https://login.example.org" },
    Change("no crossOrigin", nil) { $0.clientDataMembers["crossOrigin"] = .null },
    Change("unknown members", nil) { $0.clientDataMembers["extra"] = ["a": [1, 2.5, .null]] },
    Change("no challenge", .malformedClientData) { $0.clientDataMembers["challenge"] = .null },
    Change("a number as origin", .malformedClientData) { $0.clientDataMembers["origin"] = 1 },
    Change("a text as crossOrigin", .malformedClientData) { $0.clientDataMembers["crossOrigin"] = "false" },
    Change("long client data", .valueTooLong) { $0.clientDataMembers["extra"] = .string(String(repeating: "a", count: 4096)) },
    Change("extension outputs", nil) { $0.extensions = TestCBOR.named([("credProtect", .integer(2))]).bytes },
    Change("extension outputs that are not a map", .malformedAuthenticatorData) { $0.extensions = [0x01] },
    Change("truncated extension outputs", .malformedAuthenticatorData) { $0.extensions = [0xA1] },
    Change("bytes after the extension outputs", .malformedAuthenticatorData) { $0.extensions = [0xA0, 0x00] },
    Change("a statement in the format none", .malformedAttestationStatement) {
      $0.attestation = .other(format: "none", statement: .named([("alg", .integer(-7))]))
    },
    Change("an unknown attestation format", nil) {
      $0.attestation = .other(format: "tpm", statement: .named([("ver", .text("2"))]))
    },
  ]

  @Test("a changed registration is rejected for the right reason, or accepted if the change is allowed", arguments: changes)
  func change(_ change: Change) async throws {
    var authenticator = try Example.authenticator()
    try change.apply(&authenticator)
    #expect(try await Example.register(&authenticator).error == change.error)
  }

  @Test("a challenge is compared exactly, and an empty challenge never matches")
  func challenge() async throws {
    var authenticator = try Example.authenticator()
    let response = try Example.registrationResponse(&authenticator)
    let relyingParty = try Example.relyingParty()
    await #expect(throws: WebAuthnError.challengeMismatch) {
      try await relyingParty.verifyRegistration(response, challenge: Example.challenge + [0], at: Example.now)
    }
    authenticator.clientDataMembers["challenge"] = ""
    let empty = try Example.registrationResponse(&authenticator)
    await #expect(throws: WebAuthnError.challengeMismatch) {
      try await relyingParty.verifyRegistration(empty, challenge: [], at: Example.now)
    }
  }

  @Test("the credential ID of the response must be the one in the authenticator data")
  func credentialID() async throws {
    var authenticator = try Example.authenticator()
    var response = try Example.registrationResponse(&authenticator)
    response.credentialID[0] ^= 1
    #expect(await Example.verify(response, by: try Example.relyingParty()).error == .credentialIDMismatch)
  }

  @Test("a credential ID has 1 to 1,023 bytes", arguments: [(0, false), (1, true), (1023, true), (1024, false)])
  func credentialIDLength(_ length: Int, _ isAccepted: Bool) async throws {
    var authenticator = try SoftwareAuthenticator(
      origin: Example.origin, credentialID: [UInt8](repeating: 1, count: length))
    let error = try await Example.register(&authenticator).error
    #expect(error == (isAccepted ? nil : .invalidCredentialID))
  }

  @Test("a registration with an Ed25519 key that is not on the curve is rejected")
  func point() async throws {
    var authenticator = try Example.authenticator(.edDSA)
    var response = try Example.registrationResponse(&authenticator)
    // The last 32 bytes are the key. No point has the y-coordinate 2.
    response.attestationObject.replaceSubrange(
      (response.attestationObject.count - 32)..., with: [2] + [UInt8](repeating: 0, count: 31))
    #expect(await Example.verify(response, by: try Example.relyingParty()).error == .pointNotOnCurve)
  }

  @Test("a registration without a credential is rejected")
  func noCredential() async throws {
    var authenticator = try Example.authenticator()
    var response = try Example.registrationResponse(&authenticator)
    let data = try AttestationObject(response.attestationObject).authenticatorData.bytes
    // The hash of the RP ID, the flags, and the signature counter, without the credential.
    let short = Array(data[..<32]) + [data[32] & ~AuthenticatorFlags.attestedCredentialData.rawValue] + data[33..<37]
    response.attestationObject =
      TestCBOR.named([("fmt", .text("none")), ("attStmt", .map([])), ("authData", .bytes(short))]).bytes
    #expect(await Example.verify(response, by: try Example.relyingParty()).error == .attestedCredentialDataMismatch)
  }

  @Test("client data may begin with a byte order mark, and must be UTF-8")
  func encoding() async throws {
    var authenticator = try Example.authenticator()
    let response = try Example.registrationResponse(&authenticator)
    let text = String(decoding: response.clientDataJSON, as: UTF8.self)
    let utf16 = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for (json, error) in [
      ([0xEF, 0xBB, 0xBF] + response.clientDataJSON, nil), (utf16, .malformedClientData),
      ([0xFF, 0xFE] + utf16, .malformedClientData), (response.clientDataJSON + [0xC0], .malformedClientData),
      ([], .malformedClientData), (Array("[]".utf8), .malformedClientData),
    ] as [([UInt8], WebAuthnError?)] {
      var changed = response
      changed.clientDataJSON = json
      #expect(await Example.verify(changed, by: try Example.relyingParty()).error == error)
    }
  }
}
