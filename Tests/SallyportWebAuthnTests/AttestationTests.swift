import SallyportProtocol
import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

@Suite("Attestation")
struct AttestationTests {
  private static let model = AAGUID("2fc0579f-8113-47ea-b116-bb5a8db9202a") ?? .zero
  private static let otherModel = AAGUID("d8522d9f-575b-4866-88a9-ba99fa02f35b") ?? .zero

  private static func policy(_ roots: [[UInt8]], aaguids: Set<AAGUID> = [model]) throws -> AttestationPolicy {
    .required(try #require(TrustedAuthenticators(aaguids: aaguids, roots: roots)))
  }

  /// Registers a credential whose attestation certificate has these contents.
  private static func register(
    _ contents: AttestationAuthority.Contents, of model: AAGUID = model
  ) async throws -> Result<RegisteredCredential, WebAuthnError> {
    let authority = try AttestationAuthority(at: Example.now)
    var authenticator = try Example.authenticator(attestation: try authority.attestation(of: model, contents: contents))
    return try await Example.register(&authenticator, attestation: self.policy([authority.root]))
  }

  @Test("a certificate of a trusted manufacturer confirms the model", arguments: COSEAlgorithm.allCases)
  func verified(_ algorithm: COSEAlgorithm) async throws {
    let (authority, other) = (try AttestationAuthority(at: Example.now), try AttestationAuthority(at: Example.now))
    var authenticator = try Example.authenticator(algorithm, attestation: try authority.attestation(of: Self.model))
    let policy = try Self.policy([other.root, authority.root], aaguids: [Self.otherModel, Self.model])
    let credential = try await Example.register(&authenticator, attestation: policy).get()
    #expect(credential.attestation == .verified(Self.model))
    #expect(credential.aaguid == Self.model)
    #expect(credential.aaguid.description == "2fc0579f-8113-47ea-b116-bb5a8db9202a")
    // If attestation is not required, the certificate is not checked, so it does not confirm the model.
    #expect(try await Example.register(&authenticator).get().attestation == .none)
  }

  @Test("if attestation is required, only `packed` attestations with certificates are accepted")
  func formats() async throws {
    let authority = try AttestationAuthority(at: Example.now)
    let statement = TestCBOR.named([("alg", .integer(-7)), ("sig", .bytes([1])), ("x5c", .array([.bytes([1])]))])
    for attestation in [
      .none, .selfSigned, .other(format: "fido-u2f", statement: statement), .other(format: "Packed", statement: statement),
    ] as [SoftwareAttestation] {
      var authenticator = try Example.authenticator(attestation: attestation)
      authenticator.aaguid = Self.model
      #expect(
        try await Example.register(&authenticator, attestation: Self.policy([authority.root])).error == .attestationRequired)
    }
  }

  @Test("only the models and the manufacturers that the relying party lists are accepted")
  func lists() async throws {
    let (authority, other) = (try AttestationAuthority(at: Example.now), try AttestationAuthority(at: Example.now))
    var authenticator = try Example.authenticator(attestation: try authority.attestation(of: Self.model))
    for (roots, aaguids, error) in [
      ([authority.root], [Self.otherModel], .authenticatorNotAllowed), ([authority.root], [], .authenticatorNotAllowed),
      ([other.root], [Self.model], .untrustedAttestationCertificate), ([], [Self.model], .untrustedAttestationCertificate),
    ] as [([[UInt8]], Set<AAGUID>, WebAuthnError)] {
      #expect(try await Example.register(&authenticator, attestation: Self.policy(roots, aaguids: aaguids)).error == error)
    }
    // An authenticator that claims to be another model.
    authenticator.aaguid = Self.otherModel
    let both = try Self.policy([authority.root], aaguids: [Self.model, Self.otherModel])
    #expect(try await Example.register(&authenticator, attestation: both).error == .attestationModelMismatch)
  }

  /// A change to the contents of a correct certificate, and the error that it must lead to; nil if the certificate is
  /// still accepted.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: WebAuthnError?
    let apply: @Sendable (inout AttestationAuthority.Contents) -> Void

    init(
      _ description: String, _ error: WebAuthnError?,
      _ apply: @escaping @Sendable (inout AttestationAuthority.Contents) -> Void
    ) {
      (self.testDescription, self.error, self.apply) = (description, error, apply)
    }
  }

  static let changes: [Change] = [
    Change("no change", nil) { _ in },
    Change("another organizational unit", .invalidAttestationCertificate) { $0.unit = "Authenticators" },
    Change("no organizational unit", .invalidAttestationCertificate) { $0.unit = nil },
    Change("no country", .invalidAttestationCertificate) { $0.country = nil },
    Change("a country in words", .invalidAttestationCertificate) { $0.country = "USA" },
    Change("no organization", .invalidAttestationCertificate) { $0.organization = nil },
    Change("no common name", .invalidAttestationCertificate) { $0.name = nil },
    Change("an authority", .invalidAttestationCertificate) { $0.isAuthority = true },
    Change("no basic constraints", .invalidAttestationCertificate) { $0.isAuthority = nil },
    Change("a critical extension with the model", .invalidAttestationCertificate) { $0.isExtensionCritical = true },
    Change("no model", .attestationModelMismatch) { $0.hasExtension = false },
    Change("another model", .attestationModelMismatch) { $0.extensionAAGUID = .zero },
    Change("expired", .untrustedAttestationCertificate) { $0.validity = .seconds(-60) ... .seconds(-1) },
    Change("not valid yet", .untrustedAttestationCertificate) { $0.validity = .seconds(1) ... .seconds(60) },
  ]

  @Test("an attestation certificate must meet the requirements of WebAuthn §8.2.1", arguments: changes)
  func certificate(_ change: Change) async throws {
    var contents = AttestationAuthority.Contents()
    change.apply(&contents)
    #expect(try await Self.register(contents).error == change.error)
  }

  @Test("the certificate's key must have signed the statement for this credential")
  func signature() async throws {
    let authority = try AttestationAuthority(at: Example.now)
    // The certificate is for `other`, but `key` signs the statement.
    let (key, other) = (SoftwareAttestationKey(aaguid: Self.model), SoftwareAttestationKey(aaguid: Self.model))
    let chain = [try authority.certificate(for: other)]
    var authenticator = try Example.authenticator(attestation: .packed(key: key, chain: chain))
    let policy = try Self.policy([authority.root])
    #expect(try await Example.register(&authenticator, attestation: policy).error == .invalidAttestationSignature)

    // The attestation of another credential.
    authenticator.attestation = .packed(key: other, chain: chain)
    let response = try Example.registrationResponse(&authenticator)
    var second = try Example.authenticator(attestation: .packed(key: other, chain: chain))
    let replayed = AttestationResponse(
      credentialID: second.credentialID, clientDataJSON: response.clientDataJSON,
      attestationObject: try Self.object(
        statementOf: response.attestationObject, dataOf: Example.registrationResponse(&second).attestationObject))
    #expect(
      await Example.verify(replayed, by: try Example.relyingParty(), attestation: policy).error == .invalidAttestationSignature)
  }

  /// Combines the statement of an attestation object with the authenticator data of another one.
  private static func object(statementOf first: [UInt8], dataOf second: [UInt8]) throws -> [UInt8] {
    let name = TestCBOR.text("authData").bytes
    let start = try #require((0...(first.count - name.count)).first { first[$0...].starts(with: name) })
    return Array(first[..<start]) + name + TestCBOR.bytes(try AttestationObject(second).authenticatorData.bytes).bytes
  }

  @Test("the syntax of packed statements is checked")
  func syntax() async throws {
    let authority = try AttestationAuthority(at: Example.now)
    let key = SoftwareAttestationKey(aaguid: Self.model)
    let certificate = try authority.certificate(for: key)
    let (alg, sig) = (("alg", TestCBOR.integer(-7)), ("sig", TestCBOR.bytes([1])))
    func chain(_ items: [TestCBOR]) -> (String, TestCBOR) { ("x5c", .array(items)) }
    for (statement, error) in [
      (.map([]), .malformedAttestationStatement), (.array([]), .malformedAttestationStatement),
      (.named([alg]), .malformedAttestationStatement),
      (.named([("alg", .text("ES256")), sig]), .malformedAttestationStatement),
      (.named([alg, sig, chain([])]), .malformedAttestationStatement),
      (.named([alg, sig, chain([.text("a")])]), .malformedAttestationStatement),
      (.named([alg, sig, ("x5c", .bytes(certificate))]), .malformedAttestationStatement),
      (.named([alg, sig, ("ecdaaKeyId", .bytes([1]))]), .malformedAttestationStatement),
      (.named([alg, sig, chain([.bytes([1])]), ("extra", .integer(1))]), .malformedAttestationStatement),
      (.named([alg, sig, chain((0..<5).map { _ in .bytes(certificate) })]), .valueTooLong),
      (.named([alg, sig, chain([.bytes([])])]), .invalidAttestationCertificate),
      (.named([alg, sig, chain([.bytes(certificate + [0])])]), .invalidAttestationCertificate),
      (.named([alg, sig, chain([.bytes(certificate), .bytes([1])])]), .invalidAttestationCertificate),
      (.named([("alg", .integer(-257)), sig, chain([.bytes(certificate)])]), .attestationAlgorithmMismatch),
      (.named([alg, sig, chain([.bytes(certificate)])]), .invalidAttestationSignature),
    ] as [(TestCBOR, WebAuthnError)] {
      var authenticator = try Example.authenticator(attestation: .other(format: "packed", statement: statement))
      authenticator.aaguid = Self.model
      #expect(try await Example.register(&authenticator, attestation: Self.policy([authority.root])).error == error)
    }
  }

  @Test("a chain may include unrelated certificates, but its root must be one that the relying party lists")
  func chains() async throws {
    let (authority, other) = (try AttestationAuthority(at: Example.now), try AttestationAuthority(at: Example.now))
    let key = SoftwareAttestationKey(aaguid: Self.model)
    let certificate = try authority.certificate(for: key)
    var authenticator = try Example.authenticator(
      attestation: .packed(key: key, chain: [certificate, other.root, authority.root, certificate]))
    #expect(try await Example.register(&authenticator, attestation: Self.policy([authority.root])).error == nil)
    #expect(
      try await Example.register(&authenticator, attestation: Self.policy([other.root])).error == .untrustedAttestationCertificate
    )
  }

  @Test(
    "if attestation is not required, self attestation is accepted, but its signature must be valid",
    arguments: COSEAlgorithm.allCases)
  func selfAttestation(_ algorithm: COSEAlgorithm) async throws {
    var authenticator = try Example.authenticator(algorithm, attestation: .selfSigned)
    #expect(try await Example.register(&authenticator).get().attestation == .none)
    let other = (algorithm == .es256 ? COSEAlgorithm.edDSA : .es256).rawValue
    for (alg, error) in [(algorithm.rawValue, .invalidAttestationSignature), (other, .attestationAlgorithmMismatch)]
      as [(Int64, WebAuthnError)]
    {
      authenticator.attestation = .other(
        format: "packed", statement: .named([("alg", .integer(alg)), ("sig", .bytes([UInt8](repeating: 1, count: 64)))]))
      #expect(try await Example.register(&authenticator).error == error)
    }
  }

  @Test("if attestation is not required, statements with certificates are ignored")
  func ignored() async throws {
    let chain = TestCBOR.array((0..<9).map { _ in .bytes([1]) })
    for statement in [
      .named([("alg", .integer(-7)), ("sig", .bytes([])), ("x5c", chain)]), .named([("x5c", .integer(1))]),
    ] as [TestCBOR] {
      var authenticator = try Example.authenticator(attestation: .other(format: "packed", statement: statement))
      #expect(try await Example.register(&authenticator).get().attestation == .none)
    }
    // A packed statement without certificates is checked.
    var authenticator = try Example.authenticator(attestation: .other(format: "packed", statement: .named([])))
    #expect(try await Example.register(&authenticator).error == .malformedAttestationStatement)
  }

  @Test("a root must be a certificate in DER, and a model must be a UUID, as text or as 16 bytes")
  func configuration() throws {
    let authority = try AttestationAuthority(at: Example.now)
    #expect(TrustedAuthenticators(aaguids: [], roots: [authority.root]) != nil)
    #expect(TrustedAuthenticators(aaguids: [], roots: [authority.root, [0x30, 0]]) == nil)
    for text in [
      "", "2fc0579f811347eab116bb5a8db9202a", "2fc0579f-8113-47ea-b116-bb5a8db9202", "2fc0579f-8113-47ea-b116-bb5a8db9202g",
    ] {
      #expect(AAGUID(text) == nil)
    }
    #expect(AAGUID("2FC0579F-8113-47EA-B116-BB5A8DB9202A") == Self.model)
    #expect(AAGUID([1, 2] as [UInt8]) == nil)
  }
}
