/// A parser or a validation of untrusted input, and the properties that must hold for every input.
///
/// The raw value is the target's name on the command line and its folder in `Fuzz/Corpus`.
package enum FuzzTarget: String, CaseIterable, Sendable {
  // Parsed by the client.
  case httpRequest = "http-request"
  case callback
  case metadata
  case resourceMetadata = "resource-metadata"
  case jwks
  case idToken = "id-token"
  case challenge
  // Parsed by the server.
  case form
  case authorizationRequest = "authorization-request"
  case redirectURI = "redirect-uri"
  case authorizationHeader = "authorization-header"
  case clientMetadata = "client-metadata"
  case clientAssertion = "client-assertion"
  case requestObject = "request-object"
  case dpopProof = "dpop-proof"
  case idTokenHint = "id-token-hint"
  case tokenIdentifier = "token-identifier"
  case cbor
  case credentialResponse = "credential-response"
  case attestationObject = "attestation-object"
  case assertion

  /// Passes the input to the code under test and checks the result.
  /// - Returns: Whether the code accepted the input.
  /// - Throws: ``Violation``
  @discardableResult
  package func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    switch self {
    case .httpRequest: try HTTPRequestProperties.check(input)
    case .callback: try CallbackProperties.check(input)
    case .metadata: try MetadataProperties.check(input)
    case .resourceMetadata: try ResourceMetadataProperties.check(input)
    case .jwks: try await JWKSProperties.check(input)
    case .idToken: try await IDTokenProperties.check(input)
    case .challenge: try ChallengeProperties.check(input)
    case .form: try FormProperties.check(input)
    case .authorizationRequest: try await AuthorizationRequestProperties.check(input)
    case .redirectURI: try RedirectURIProperties.check(input)
    case .authorizationHeader: try await AuthorizationHeaderProperties.check(input)
    case .clientMetadata: try await ClientMetadataProperties.check(input)
    case .clientAssertion: try await ClientAssertionProperties.check(input)
    case .requestObject: try await RequestObjectProperties.check(input)
    case .dpopProof: try DPoPProofProperties.check(input)
    case .idTokenHint: try await IDTokenHintProperties.check(input)
    case .tokenIdentifier: try TokenIdentifierProperties.check(input)
    case .cbor: try CBORProperties.check(input)
    case .credentialResponse: try CredentialResponseProperties.check(input)
    case .attestationObject: try await AttestationObjectProperties.check(input)
    case .assertion: try AssertionProperties.check(input)
    }
  }
}
