public import SallyportProtocol

/// Hashes and checks passwords with a deliberately slow function, within bounded memory and concurrency.
public protocol PasswordHasher: Sendable {
  /// Returns the hash of a new password in PHC string format, with a random salt.
  /// - Throws: ``PasswordHasherError``
  func hash(_ password: Secret<String>) async throws(PasswordHasherError) -> String
  /// Returns whether the password matches the hash.
  ///
  /// If `hash` is nil, the result is false, but the check takes as long as with a hash that has the current cost
  /// parameters, so that an attacker cannot tell whether the account exists.
  func verify(_ password: Secret<String>, against hash: String?) async throws(PasswordHasherError) -> Bool
  /// Whether a hash should be replaced at the next sign-in, because its cost parameters are not the current ones.
  func needsRehash(_ hash: String) -> Bool
}

/// Why a password was not hashed or checked.
public enum PasswordHasherError: Error, Equatable, Sendable {
  /// The queue is full. Try again later.
  case overloaded
  /// The password exceeds the length limit.
  case passwordTooLong
  case failed(reason: String)
}
