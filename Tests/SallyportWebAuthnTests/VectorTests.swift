import Crypto
import Foundation
import SallyportProtocol
import SallyportWebAuthn
import Testing

/// The test vectors of WebAuthn Level 3.
@Suite("Test vectors of WebAuthn Level 3")
struct VectorTests {
  /// The expected results of a credential's registration and authentication. Nil stands for success.
  struct Expected: Sendable {
    /// The errors of a registration and an authentication without required user verification.
    var errors: (registration: WebAuthnError?, authentication: WebAuthnError?) = (nil, nil)
    /// Whether the authenticator verified the user.
    var isUserVerified: (registration: Bool, authentication: Bool)
    /// The error of a registration with required attestation. No registration succeeds, because only `packed`
    /// statements with certificates are allowed, and the specification's certificates name no model. With such a
    /// certificate, the last check, which compares the models, fails with `attestationModelMismatch`.
    var attestation = WebAuthnError.attestationRequired
  }

  static let unsupported = (WebAuthnError.unsupportedAlgorithm, WebAuthnError.unsupportedAlgorithm)
  static let crossOrigin = (WebAuthnError.crossOrigin, WebAuthnError.crossOrigin)
  static let expected: [String: Expected] = [
    "none-es256": Expected(isUserVerified: (false, false)),
    "packed-self-es256": Expected(isUserVerified: (true, false)),
    "none-es256-crossOrigin": Expected(errors: crossOrigin, isUserVerified: (true, true), attestation: .crossOrigin),
    "none-es256-topOrigin": Expected(errors: crossOrigin, isUserVerified: (false, true), attestation: .crossOrigin),
    "none-es256-long-credential-id": Expected(isUserVerified: (false, true)),
    "packed-es256": Expected(isUserVerified: (true, true), attestation: .attestationModelMismatch),
    "packed-es384": Expected(errors: unsupported, isUserVerified: (false, true), attestation: .unsupportedAlgorithm),
    "packed-es512": Expected(errors: unsupported, isUserVerified: (true, false), attestation: .unsupportedAlgorithm),
    "packed-rs256": Expected(isUserVerified: (true, false), attestation: .attestationModelMismatch),
    "packed-eddsa": Expected(isUserVerified: (false, false), attestation: .attestationModelMismatch),
    "packed-ed448": Expected(errors: unsupported, isUserVerified: (false, true), attestation: .unsupportedAlgorithm),
    "tpm-es256": Expected(isUserVerified: (true, true)),
    "android-key-es256": Expected(isUserVerified: (true, false)),
    "apple-es256": Expected(isUserVerified: (false, false)),
    "fido-u2f-es256": Expected(isUserVerified: (false, false)),
  ]
  static let names = expected.keys.sorted()

  @Test("the file contains 15 credentials with a registration and an authentication each, and all of them are tested")
  func complete() throws {
    let vectors = try Vectors.load()
    #expect(vectors.credentials.count == 15)
    #expect(Set(vectors.credentials.keys) == Set(Self.names))
  }

  @Test("a registration succeeds or fails as expected, with and without required user verification", arguments: names)
  func registration(_ name: String) async throws {
    let (vector, expected) = (try Vectors.load().credential(name), try #require(Self.expected[name]))
    #expect(await self.registrationError(vector) == expected.errors.registration)
    let verificationError = expected.isUserVerified.registration ? nil : WebAuthnError.userNotVerified
    // The client data and user verification are checked before the public key.
    let isCrossOrigin = expected.errors.registration == .crossOrigin
    let expectedError = isCrossOrigin ? .crossOrigin : verificationError ?? expected.errors.registration
    #expect(await self.registrationError(vector, userVerification: .required) == expectedError)
  }

  @Test("a registration with required attestation fails with the expected error", arguments: names)
  func attestation(_ name: String) async throws {
    let vectors = try Vectors.load()
    let (vector, expected) = (try vectors.credential(name), try #require(Self.expected[name]))
    let object = try AttestationObject(vector.attestationResponse.attestationObject)
    let aaguid = try #require(object.authenticatorData.attestedCredential?.aaguid)
    let trusted = try #require(TrustedAuthenticators(aaguids: [aaguid], roots: [vectors.root]))
    #expect(await self.registrationError(vector, attestation: .required(trusted)) == expected.attestation)
    guard expected.attestation == .attestationModelMismatch else { return }
    let withoutRoots = try #require(TrustedAuthenticators(aaguids: [aaguid], roots: []))
    #expect(await self.registrationError(vector, attestation: .required(withoutRoots)) == .untrustedAttestationCertificate)
  }

  @Test("an authentication succeeds or fails as expected, with and without required user verification", arguments: names)
  func authentication(_ name: String) throws {
    let (vector, expected) = (try Vectors.load().credential(name), try #require(Self.expected[name]))
    #expect(try self.authenticationError(vector) == expected.errors.authentication)
    let verificationError = expected.isUserVerified.authentication ? nil : WebAuthnError.userNotVerified
    let isCrossOrigin = expected.errors.authentication == .crossOrigin
    let expectedError = isCrossOrigin ? .crossOrigin : verificationError ?? expected.errors.authentication
    #expect(try self.authenticationError(vector, userVerification: .required) == expectedError)
  }

  @Test(
    "with a supported algorithm, the signature of an assertion is valid for the registered key and not for another key",
    arguments: names)
  func signature(_ name: String) throws {
    let (vector, expected) = (try Vectors.load().credential(name), try #require(Self.expected[name]))
    guard expected.errors.registration != .unsupportedAlgorithm else {
      #expect(throws: WebAuthnError.unsupportedAlgorithm) { try vector.publicKey() }
      return
    }
    let response = vector.assertionResponse
    let signed = response.authenticatorData + Array(SHA256.hash(data: response.clientDataJSON))
    #expect(try vector.publicKey().isValidSignature(response.signature, for: signed))
    let other = try Vectors.load().credential(name == "none-es256" ? "tpm-es256" : "none-es256")
    #expect(try !other.publicKey().isValidSignature(response.signature, for: signed))
  }

  /// Registers the credential.
  /// - Returns: The error of the verification; nil if it succeeds.
  private func registrationError(
    _ vector: Vectors.Credential, userVerification: UserVerificationRequirement = .preferred,
    attestation: AttestationPolicy = .none
  ) async -> WebAuthnError? {
    do throws(WebAuthnError) {
      let credential = try await Vectors.relyingParty().verifyRegistration(
        vector.attestationResponse, challenge: vector.registrationChallenge, userVerification: userVerification,
        attestation: attestation, at: Example.now)
      #expect(credential.id == vector.attestationResponse.credentialID)
      #expect(credential.aaguid.bytes == vector.aaguid)
      return nil
    } catch {
      return error
    }
  }

  /// Verifies the assertion with the public key from the registration.
  /// - Returns: The error of the verification; nil if it succeeds.
  private func authenticationError(
    _ vector: Vectors.Credential, userVerification: UserVerificationRequirement = .preferred
  ) throws -> WebAuthnError? {
    let data = try AttestationObject(vector.attestationResponse.attestationObject).authenticatorData
    let attested = try #require(data.attestedCredential)
    let credential = StoredCredential(
      id: attested.credentialID, publicKey: attested.publicKey, signCount: data.signCount,
      isBackupEligible: data.flags.contains(.backupEligible))
    do throws(WebAuthnError) {
      let assertion = try Vectors.relyingParty().verifyAuthentication(
        vector.assertionResponse, challenge: vector.authenticationChallenge, userVerification: userVerification,
        credential: credential)
      #expect(assertion.signCounter == .unsupported)
      return nil
    } catch {
      return error
    }
  }
}
