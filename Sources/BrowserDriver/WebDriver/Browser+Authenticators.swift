import HTTPTypes

/// The virtual authenticators of a browser (Web Authentication Level 3 §11).
extension Browser {
  /// An authenticator that lets the user create and use passkeys without a prompt.
  package struct Authenticator: Sendable, Hashable {
    fileprivate let id: String
  }

  /// Adds an authenticator that is built into the device, such as a fingerprint reader.
  /// - Parameter verifiesUser: Whether the user passes the authenticator's user verification, for example the check of
  ///   a fingerprint.
  package func addAuthenticator(verifiesUser: Bool = true) async throws(WebDriverError) -> Authenticator {
    let options = AuthenticatorOptions(isUserVerified: verifiesUser)
    return Authenticator(
      id: try await self.connection.call(.post, self.path("webauthn/authenticator"), options, as: String.self))
  }

  /// Returns the number of passkeys of an authenticator.
  package func countPasskeys(of authenticator: Authenticator) async throws(WebDriverError) -> Int {
    try await self.connection.call(
      .get, self.path("webauthn/authenticator/\(authenticator.id)/credentials"), as: [Credential].self
    ).count
  }

  private struct AuthenticatorOptions: Encodable {
    var `protocol` = "ctap2"
    var transport = "internal"
    var hasResidentKey = true
    var hasUserVerification = true
    var isUserConsenting = true
    var isUserVerified: Bool
  }

  private struct Credential: Decodable {
    var credentialId: String
  }
}
