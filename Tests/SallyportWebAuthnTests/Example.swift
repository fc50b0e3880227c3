import SallyportProtocol
import SallyportWebAuthn
import WebAuthnTestSupport

/// The relying party of the tests, and its ceremonies with a software authenticator.
enum Example {
  static let origin = "https://login.example.org"
  static let now = Timestamp(seconds: 1_800_000_000)
  static let challenge = [UInt8](0..<32)

  static func relyingParty() throws -> RelyingParty {
    try RelyingParty(id: "example.org", origins: [self.origin])
  }

  static func authenticator(
    _ algorithm: COSEAlgorithm = .es256, attestation: SoftwareAttestation = .none
  ) throws -> SoftwareAuthenticator {
    try SoftwareAuthenticator(origin: self.origin, algorithm: algorithm, attestation: attestation)
  }

  /// Lets the authenticator respond to the options of a registration.
  static func registrationResponse(_ authenticator: inout SoftwareAuthenticator) throws -> AttestationResponse {
    let user = PublicKeyCredentialCreationOptionsJSON.UserEntity(id: [7, 7], name: "ada", displayName: "Ada")
    return try authenticator.register(
      self.relyingParty().creationOptions(name: "Example", user: user, challenge: self.challenge))
  }

  static func authenticationResponse(_ authenticator: inout SoftwareAuthenticator) throws -> AssertionResponse {
    try authenticator.authenticate(self.relyingParty().requestOptions(challenge: self.challenge))
  }

  /// Registers a credential. Returns the error if the relying party rejects the registration.
  static func register(
    _ authenticator: inout SoftwareAuthenticator, attestation: AttestationPolicy = .none
  ) async throws -> Result<RegisteredCredential, WebAuthnError> {
    let response = try self.registrationResponse(&authenticator)
    return await self.verify(response, by: try self.relyingParty(), attestation: attestation)
  }

  static func verify(
    _ response: AttestationResponse, by relyingParty: RelyingParty, attestation: AttestationPolicy = .none
  ) async -> Result<RegisteredCredential, WebAuthnError> {
    do throws(WebAuthnError) {
      return .success(
        try await relyingParty.verifyRegistration(response, challenge: self.challenge, attestation: attestation, at: self.now))
    } catch {
      return .failure(error)
    }
  }

  static func verify(
    _ response: AssertionResponse, by relyingParty: RelyingParty, credential: StoredCredential
  ) -> Result<VerifiedAssertion, WebAuthnError> {
    Result { () throws(WebAuthnError) in
      try relyingParty.verifyAuthentication(response, challenge: self.challenge, credential: credential)
    }
  }
}

extension Result {
  /// The error of a failure.
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
