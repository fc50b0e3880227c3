public import SallyportProtocol

/// Which passwords accounts may have.
///
/// A password must be long enough and hard to guess. It needs no digits, capitals, or symbols (NIST SP 800-63B-4 §3.1.1.2).
///
/// ```swift
/// try PasswordPolicy().check(Secret("correct horse battery staple"))
/// ```
public struct PasswordPolicy: Sendable, Equatable {
  /// The longest password in bytes, as UTF-8 in Unicode's NFC form.
  public static let maximumBytes = 1_024

  /// The smallest number of Unicode code points, counted in NFC form.
  ///
  /// 15 is right while the password is the only factor, and 8 with a second one. A password must also take about `2^(2 * minimumLength)`
  /// guesses, so a long password of common words, names, sequences, and repetitions is not enough.
  public var minimumLength: Int
  /// Names that attackers try first because everybody knows them, such as the server's name and its host.
  public var serverNames: [String]

  public init(minimumLength: Int = 15, serverNames: [String] = []) {
    self.minimumLength = minimumLength
    self.serverNames = serverNames
  }

  /// Why a password is not accepted.
  public enum Violation: Error, Equatable, Sendable {
    case tooShort(minimumLength: Int)
    case tooLong
    case tooEasyToGuess
  }

  /// Checks a new password.
  /// - Parameters:
  ///   - password: the password as it was entered.
  ///   - names: what an attacker knows of the user, such as the user name and the e-mail address.
  public func check(_ password: Secret<String>, names: [String] = []) throws(Violation) {
    if let violation = self.violation(by: password, names: names) { throw violation }
  }

  /// What ``check(_:names:)`` throws; nil for a password that is accepted.
  func violation(by password: Secret<String>, names: [String]) -> Violation? {
    // Normalizing a long text takes a while, and shortens it less than this.
    guard password.reveal().utf8.count <= 4 * Self.maximumBytes else { return .tooLong }
    let bytes = password.reveal()._nfcCodeUnits
    guard bytes.count <= Self.maximumBytes else { return .tooLong }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.unicodeScalars.count >= self.minimumLength else { return .tooShort(minimumLength: self.minimumLength) }
    let estimate = GuessEstimate(text, names: names + self.serverNames)
    return estimate.bits < Double(2 * self.minimumLength) ? .tooEasyToGuess : nil
  }
}

extension PasswordPolicy.Violation {
  /// What is wrong with the password and what to do, in two sentences.
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
