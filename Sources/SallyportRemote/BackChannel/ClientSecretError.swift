/// Why a client secret could not be created or obtained. No case contains a part of a secret or a key.
public enum ClientSecretError: Error, Equatable, Sendable {
  /// The text that the app passed as the key for signing client secrets is not a P-256 private key in PEM.
  case keyMalformed
  /// The key could not sign the secret.
  case notSigned
  /// The app's function that provides the secret failed. The reason is only the error's type, because the error's text
  /// could contain a secret.
  case notProvided(reason: String)
}
