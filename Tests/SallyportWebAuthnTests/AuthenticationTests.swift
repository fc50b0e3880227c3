import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

@Suite("Authentications")
struct AuthenticationTests {
  @Test("an authentication with each algorithm succeeds", arguments: COSEAlgorithm.allCases)
  func algorithms(_ algorithm: COSEAlgorithm) async throws {
    var authenticator = try Example.authenticator(algorithm)
    authenticator.signCount = 1
    let credential = StoredCredential(try await Example.register(&authenticator).get())
    let response = try Example.authenticationResponse(&authenticator)
    #expect(response.userHandle == [7, 7])
    let assertion = try Example.verify(response, by: Example.relyingParty(), credential: credential).get()
    #expect(assertion.signCount == 2)
    #expect(assertion.signCounter == .increased)
    #expect(assertion.isBackedUp && assertion.isUserVerified)
  }

  /// Changes to the authenticator before it signs, and the errors that they cause; nil if the change is allowed.
  static let changes: [RegistrationTests.Change] = [
    .init("no change", nil) { _ in },
    .init("another origin", .originMismatch) { $0.origin = "https://example.com" },
    .init("the credential of another relying party", .relyingPartyMismatch) { $0.relyingPartyID = "example.com" },
    .init("no user verification", .userNotVerified) { $0.flags.remove(.userVerified) },
    .init("no user presence", .userNotPresent) { $0.flags.remove(.userPresent) },
    .init("backed up but not eligible", .backupStateWithoutEligibility) { $0.flags.remove(.backupEligible) },
    .init("no longer eligible for backup", .backupEligibilityChanged) { $0.flags.subtract([.backupEligible, .backedUp]) },
    .init("no longer backed up", nil) { $0.flags.remove(.backedUp) },
    .init("another challenge", .challengeMismatch) { $0.clientDataMembers["challenge"] = "AAAA" },
    .init("the other ceremony", .ceremonyMismatch) { $0.clientDataMembers["type"] = "webauthn.create" },
    .init("a frame on another origin", .crossOrigin) { $0.clientDataMembers["crossOrigin"] = true },
    .init("a top origin", .crossOrigin) { $0.clientDataMembers["topOrigin"] = "https://example.com" },
    .init("extension outputs", nil) { $0.extensions = [0xA0] },
    .init("invalid extension outputs", .malformedAuthenticatorData) { $0.extensions = [0xA0, 0xA0] },
    .init("another key", .invalidSignature) { $0.key = try SoftwareKey(.es256) },
    .init("a key with another algorithm", .invalidSignature) { $0.key = try SoftwareKey(.rs256) },
    .init("long authenticator data", .valueTooLong) {
      $0.extensions = TestCBOR.named([("x", .bytes([UInt8](repeating: 0, count: 4096)))]).bytes
    },
  ]

  @Test("a changed authentication is rejected for the right reason, or accepted if the change is allowed", arguments: changes)
  func change(_ change: RegistrationTests.Change) async throws {
    var authenticator = try Example.authenticator()
    let credential = StoredCredential(try await Example.register(&authenticator).get())
    try change.apply(&authenticator)
    let response = try Example.authenticationResponse(&authenticator)
    #expect(Example.verify(response, by: try Example.relyingParty(), credential: credential).error == change.error)
  }

  @Test("the backup eligibility may change if the relying party does not depend on it, but a backup still requires it")
  func backupEligibility() async throws {
    var authenticator = try Example.authenticator()
    var credential = StoredCredential(try await Example.register(&authenticator).get())
    credential.isBackupEligible = nil
    for flags in [[], [.backupEligible], [.backupEligible, .backedUp]] as [AuthenticatorFlags] {
      authenticator.flags = [.userPresent, .userVerified, flags]
      let response = try Example.authenticationResponse(&authenticator)
      let assertion = try Example.verify(response, by: Example.relyingParty(), credential: credential).get()
      #expect(assertion.isBackupEligible == flags.contains(.backupEligible))
      #expect(assertion.isBackedUp == flags.contains(.backedUp))
    }
    authenticator.flags = [.userPresent, .userVerified, .backedUp]
    let response = try Example.authenticationResponse(&authenticator)
    let result = Example.verify(response, by: try Example.relyingParty(), credential: credential)
    #expect(result.error == .backupStateWithoutEligibility)
  }

  @Test("another credential is rejected, even if it sends the ID of the stored credential", arguments: COSEAlgorithm.allCases)
  func otherCredential(_ algorithm: COSEAlgorithm) async throws {
    var (authenticator, other) = (try Example.authenticator(.es256), try Example.authenticator(algorithm))
    let credential = StoredCredential(try await Example.register(&authenticator).get())
    _ = try await Example.register(&other).get()
    var response = try Example.authenticationResponse(&other)
    #expect(Example.verify(response, by: try Example.relyingParty(), credential: credential).error == .credentialIDMismatch)
    response.credentialID = credential.id
    #expect(Example.verify(response, by: try Example.relyingParty(), credential: credential).error == .invalidSignature)
  }

  @Test("a signature that was changed, is too long, or is of other data is rejected", arguments: COSEAlgorithm.allCases)
  func otherData(_ algorithm: COSEAlgorithm) async throws {
    var authenticator = try Example.authenticator(algorithm)
    let credential = StoredCredential(try await Example.register(&authenticator).get())
    let relyingParty = try Example.relyingParty()
    let response = try Example.authenticationResponse(&authenticator)
    for change in [
      { $0.signature = try authenticator.key.sign($0.authenticatorData) },
      { $0.signature = try authenticator.key.sign($0.authenticatorData + $0.clientDataJSON) },
      { $0.signature = [] },
      { $0.signature.append(0) },
      { $0.signature.removeLast() },
      { $0.clientDataJSON += [0x20] },
      // The last byte of the signature counter.
      { $0.authenticatorData[36] = 9 },
    ] as [(inout AssertionResponse) throws -> Void] {
      var changed = response
      try change(&changed)
      #expect(Example.verify(changed, by: relyingParty, credential: credential).error == .invalidSignature)
    }
    var long = response
    long.signature = [UInt8](repeating: 0, count: 1025)
    #expect(Example.verify(long, by: relyingParty, credential: credential).error == .valueTooLong)
  }

  @Test("an assertion that contains attested credential data, as a registration does, is rejected")
  func attestedCredential() async throws {
    var authenticator = try Example.authenticator()
    let credential = StoredCredential(try await Example.register(&authenticator).get())
    var response = try Example.authenticationResponse(&authenticator)
    // Byte 32 contains the flags.
    response.authenticatorData[32] |= AuthenticatorFlags.attestedCredentialData.rawValue
    response.authenticatorData += authenticator.attestedCredentialData
    #expect(
      Example.verify(response, by: try Example.relyingParty(), credential: credential).error == .attestedCredentialDataMismatch)
  }

  @Test(
    "the result says whether the signature counter increased, or that the authenticator does not count",
    arguments: [
      (0, 0, SignatureCounter.unsupported), (0, 2, .increased), (5, 6, .increased), (5, 5, .notIncreased), (5, 4, .notIncreased),
      (5, 0, .notIncreased), (.max, 0, .notIncreased), (.max, .max, .notIncreased),
    ] as [(UInt32, UInt32, SignatureCounter)])
  func counter(_ stored: UInt32, _ new: UInt32, _ expected: SignatureCounter) async throws {
    var authenticator = try Example.authenticator()
    var credential = StoredCredential(try await Example.register(&authenticator).get())
    credential.signCount = stored
    // The authenticator increases every counter except zero.
    authenticator.signCount = new == 0 ? 0 : new - 1
    let response = try Example.authenticationResponse(&authenticator)
    let assertion = try Example.verify(response, by: Example.relyingParty(), credential: credential).get()
    #expect(assertion.signCount == new)
    #expect(assertion.signCounter == expected)
  }

  @Test("an invalid stored key causes an error")
  func storedKey() async throws {
    var authenticator = try Example.authenticator()
    var credential = StoredCredential(try await Example.register(&authenticator).get())
    credential.publicKey.removeLast()
    let response = try Example.authenticationResponse(&authenticator)
    #expect(Example.verify(response, by: try Example.relyingParty(), credential: credential).error == .malformedPublicKey)
  }
}
