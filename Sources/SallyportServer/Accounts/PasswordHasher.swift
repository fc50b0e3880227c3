public import SallyportProtocol

/// Hashes and checks passwords, slowly on purpose and with bounded resources.
public protocol PasswordHasher: Sendable {
  /// The hash of a new password in PHC string format, with a salt of its own.
  /// - Throws: ``PasswordHasherError``
  func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String
  /// Whether `password` is the one of `hash`. A hash of nil costs the same time and is false: who asks cannot tell whether
  /// there is such an account.
  func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool
  /// Whether a hash was made with other costs than new ones are: then a new one is due at the next sign-in.
  func needsRehash(_ hash: String) -> Bool
}

public enum PasswordHasherError: Error, Equatable, Sendable {
  /// More requests are waiting than the pool takes; try again later.
  case overloaded
  /// Longer than the limit.
  case passwordTooLong
  case failed(reason: String)
}
