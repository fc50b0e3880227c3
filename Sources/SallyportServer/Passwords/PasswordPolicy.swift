public import SallyportProtocol

/// The rules that new passwords must meet.
///
/// A password must be long enough and hard to guess. It needs no digits, capitals, or symbols (NIST SP 800-63B-4
/// §3.1.1.2).
///
/// ```swift
/// try PasswordPolicy().check(Secret("correct horse battery staple"))
/// ```
public struct PasswordPolicy: Sendable, Equatable {
  /// The maximum length of a password in bytes (UTF-8, NFC form).
  public static let maximumBytes = 1_024

  /// The minimum number of Unicode code points, counted in NFC form.
  ///
  /// Use 15 if the password is the only factor, or 8 with a second factor. The server never requires more than 8 for
  /// an account with an authenticator app. A password must also take at least an estimated `2^(2 * minimumLength)`
  /// guesses, so length alone is not enough: a few very common words, a name, a sequence, or a repetition is rejected,
  /// but four random words are accepted.
  public var minimumLength: Int
  /// Names that attackers try first because everyone knows them, such as the server's name and host.
  public var serverNames: [String]

  public init(minimumLength: Int = 15, serverNames: [String] = []) {
    self.minimumLength = minimumLength
    self.serverNames = serverNames
  }

  /// The rules for an account with an authenticator app. A minimum length of 8 suffices for such an account, because
  /// the password is not the only factor (NIST SP 800-63B-4 §3.1.1.2).
  package var withSecondFactor: PasswordPolicy {
    PasswordPolicy(minimumLength: min(self.minimumLength, 8), serverNames: self.serverNames)
  }

  /// Why a password is not accepted.
  public enum Violation: Error, Equatable, Sendable {
    case tooShort(minimumLength: Int)
    case tooLong
    case tooEasyToGuess
  }

  /// Checks a new password.
  /// - Parameters:
  ///   - password: The password as it was entered.
  ///   - names: What an attacker may know about the user, such as the user name and the email address.
  public func check(_ password: Secret<String>, names: [String] = []) throws(Violation) {
    if let violation = self.violation(by: password, names: names) { throw violation }
  }

  /// Returns the violation that ``check(_:names:)`` throws, or nil if the password is accepted.
  func violation(by password: Secret<String>, names: [String]) -> Violation? {
    // Normalization is slow for a long text, and shortens a text by less than a factor of four. A text that would be
    // too long in any case is therefore rejected before it is normalized.
    guard password.reveal().utf8.count <= 4 * Self.maximumBytes else { return .tooLong }
    let text = password.reveal().normalizedToNFC
    guard text.utf8.count <= Self.maximumBytes else { return .tooLong }
    guard text.unicodeScalars.count >= self.minimumLength else { return .tooShort(minimumLength: self.minimumLength) }
    let estimate = GuessEstimate(text, names: names + self.serverNames)
    return estimate.bits < Double(2 * self.minimumLength) ? .tooEasyToGuess : nil
  }
}

extension PasswordPolicy.Violation {
  /// A message of two sentences: what is wrong with the password, and what to do.
  public var explanation: String {
    switch self {
    case .tooShort(let minimum):
      "The password has fewer than \(minimum) characters. Choose a longer one, for example four random words."
    case .tooLong:
      "The password is longer than \(PasswordPolicy.maximumBytes) bytes. Choose a shorter one."
    case .tooEasyToGuess:
      """
      The password is too easy to guess, because it consists mostly of common words, names, sequences, or repetitions. \
      Choose another one, for example four random words.
      """
    }
  }
}
