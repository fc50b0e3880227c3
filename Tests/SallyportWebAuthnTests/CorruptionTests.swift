import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

/// Responses that are truncated, extended, or have changed bits.
@Suite("Corrupted responses")
struct CorruptionTests {
  private static let model = AAGUID([UInt8](1...16)) ?? .zero

  /// A registration with required attestation, in which the key of a certificate signs the authenticator data and the
  /// hash of the client data.
  private static func attested() throws -> (response: AttestationResponse, policy: AttestationPolicy) {
    let authority = try AttestationAuthority(at: Example.now)
    var authenticator = try Example.authenticator(attestation: try authority.attestation(of: Self.model))
    authenticator.extensions = TestCBOR.named([("credProtect", .integer(2))]).bytes
    let trusted = try #require(TrustedAuthenticators(aaguids: [Self.model], roots: [authority.root]))
    return (try Example.registrationResponse(&authenticator), .required(trusted))
  }

  @Test("an attestation object that is truncated at any byte is rejected")
  func truncatedAttestation() async throws {
    let (response, policy) = try Self.attested()
    let relyingParty = try Example.relyingParty()
    #expect(await Example.verify(response, by: relyingParty, attestation: policy).error == nil)
    for length in response.attestationObject.indices {
      var changed = response
      changed.attestationObject = Array(response.attestationObject[..<length])
      #expect(
        await Example.verify(changed, by: relyingParty, attestation: policy).error == .malformedAttestationObject,
        "\(length) bytes")
    }
  }

  @Test("bytes after an attestation object are rejected")
  func trailing() async throws {
    var (response, policy) = try Self.attested()
    response.attestationObject.append(0)
    #expect(
      await Example.verify(response, by: try Example.relyingParty(), attestation: policy).error == .malformedAttestationObject)
  }

  @Test(
    "a registration with required attestation is rejected if any bit of its attestation object changes, except in one byte of the certificate"
  )
  func flippedAttestation() async throws {
    let (response, policy) = try Self.attested()
    let relyingParty = try Example.relyingParty()
    // The certificate's signature is a BIT STRING after the last identifier of ECDSA with SHA-256. The first byte of
    // its contents is the number of unused bits. swift-certificates ignores this byte, so the test leaves it out.
    // `prefix` is that identifier and the tag of the BIT STRING (0x03). A byte with the length follows.
    let prefix: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02, 0x03]
    let unusedBits =
      try #require(
        response.attestationObject.indices.last { response.attestationObject[$0...].starts(with: prefix) })
      + prefix.count + 1
    for index in response.attestationObject.indices where index != unusedBits {
      for bit in 0..<8 {
        var changed = response
        changed.attestationObject[index] ^= 1 << bit
        #expect(
          await Example.verify(changed, by: relyingParty, attestation: policy).error != nil, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test("a registration with self attestation is rejected if any bit of its client data or authenticator data changes")
  func flippedSelfAttestation() async throws {
    var authenticator = try Example.authenticator(attestation: .selfSigned)
    let response = try Example.registrationResponse(&authenticator)
    let relyingParty = try Example.relyingParty()
    for index in response.attestationObject.indices {
      for bit in 0..<8 {
        var changed = response
        changed.attestationObject[index] ^= 1 << bit
        guard await Example.verify(changed, by: relyingParty).error == nil else { continue }
        // If `fmt` is changed, the format is unknown. Statements in unknown formats are ignored.
        #expect(try AttestationObject(changed.attestationObject).format != "packed", "bit \(bit) of byte \(index)")
      }
    }
    for index in response.clientDataJSON.indices {
      for bit in 0..<8 {
        var changed = response
        changed.clientDataJSON[index] ^= 1 << bit
        #expect(await Example.verify(changed, by: relyingParty).error != nil, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test(
    "an assertion is rejected if its client data, authenticator data, signature, or credential ID is truncated, extended, or changed"
  )
  func assertion() async throws {
    var authenticator = try Example.authenticator(.edDSA)
    authenticator.extensions = TestCBOR.named([("uvm", .array([.integer(2)]))]).bytes
    let credential = StoredCredential(try await Example.register(&authenticator).get())
    let response = try Example.authenticationResponse(&authenticator)
    let relyingParty = try Example.relyingParty()
    #expect(Example.verify(response, by: relyingParty, credential: credential).error == nil)
    for member in [\AssertionResponse.clientDataJSON, \.authenticatorData, \.signature, \.credentialID] {
      var extended = response
      extended[keyPath: member].append(0)
      #expect(Example.verify(extended, by: relyingParty, credential: credential).error != nil)
      for index in response[keyPath: member].indices {
        var changed = response
        changed[keyPath: member].removeSubrange(index...)
        #expect(Example.verify(changed, by: relyingParty, credential: credential).error != nil)
        for bit in 0..<8 {
          var changed = response
          changed[keyPath: member][index] ^= 1 << bit
          #expect(Example.verify(changed, by: relyingParty, credential: credential).error != nil, "bit \(bit) of byte \(index)")
        }
      }
    }
  }

  @Test("authenticator data that is truncated at any byte is rejected")
  func truncatedAuthenticatorData() throws {
    var authenticator = try Example.authenticator()
    authenticator.extensions = TestCBOR.named([("credProtect", .integer(2))]).bytes
    let data = try AttestationObject(Example.registrationResponse(&authenticator).attestationObject).authenticatorData.bytes
    for length in data.indices {
      #expect(throws: WebAuthnError.malformedAuthenticatorData) { try AuthenticatorData(Array(data[..<length])) }
    }
  }

  @Test("an attestation object must have exactly its three members, once, in order, and with their types")
  func members() throws {
    let (fmt, attStmt) = (("fmt", TestCBOR.text("none")), ("attStmt", TestCBOR.map([])))
    let authData = ("authData", TestCBOR.bytes([UInt8](repeating: 0, count: 37)))
    #expect(throws: Never.self) { try AttestationObject(TestCBOR.named([fmt, attStmt, authData]).bytes) }
    for object in [
      .named([fmt, attStmt]), .named([fmt, authData]), .named([attStmt, authData]), .named([authData, fmt, attStmt]),
      .named([fmt, fmt, attStmt, authData]), .named([fmt, attStmt, authData, authData]),
      .named([fmt, ("epAtt", .integer(0)), attStmt, authData]), .named([("fmt", .bytes([])), attStmt, authData]),
      .named([fmt, attStmt, ("authData", .text(""))]), .array([fmt.1, attStmt.1, authData.1]), .map([]), .text("none"),
    ] as [TestCBOR] {
      #expect(throws: WebAuthnError.malformedAttestationObject) { try AttestationObject(object.bytes) }
    }
    #expect(throws: WebAuthnError.malformedAuthenticatorData) {
      try AttestationObject(TestCBOR.named([fmt, attStmt, ("authData", .bytes([]))]).bytes)
    }
  }

  @Test("large and deeply nested attestation objects are rejected")
  func large() throws {
    func object(_ statement: [UInt8]) -> [UInt8] {
      TestCBOR.named([("fmt", .text("x")), ("attStmt", .encoded(statement))]).bytes
    }
    for statement in [
      // An array that announces 2^63 items, a map that announces about 2^32 entries, 10,000 nested arrays, 10,000
      // nested maps, and an array of 10,000 integers.
      [0x9B, 0x80, 0, 0, 0, 0, 0, 0, 0], [0xBA, 0xFF, 0xFF, 0xFF, 0xFF], [UInt8](repeating: 0x81, count: 10_000),
      [UInt8](repeating: 0xA1, count: 10_000), TestCBOR.array((0..<10_000).map { .integer($0 % 24) }).bytes,
    ] as [[UInt8]] {
      #expect(throws: WebAuthnError.malformedAttestationObject) { try AttestationObject(object(statement)) }
    }
    let long = object(TestCBOR.bytes([UInt8](repeating: 0, count: WebAuthnLimits.attestationObject)).bytes)
    #expect(throws: WebAuthnError.valueTooLong) { try AttestationObject(long) }
  }
}
