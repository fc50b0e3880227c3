/// The page that asks for a new password after a sign-in with one that the policy no longer accepts: a form with the fields
/// `new-password` and `new-password-repeat`, and the hidden `csrf` and `proof`.
package struct ChangePasswordPage: Sendable {
  package enum Failure: Sendable, Equatable {
    /// The two fields differ.
    case different
    /// The policy does not accept the password. The text says why.
    case notAccepted(explanation: String)
    /// Too many attempts came before; the next one has to wait, in seconds.
    case slowed(seconds: Int)
    case busy
  }

  package var username: String
  package var failure: Failure?
  package var minimumLength: Int
  /// Where the form posts to.
  package var action: String
  package var csrfToken: String
  /// Shows that the right password was entered.
  package var proof: String

  package init(
    username: String, failure: Failure? = nil, minimumLength: Int, action: String, csrfToken: String, proof: String
  ) {
    self.username = username
    self.failure = failure
    self.minimumLength = minimumLength
    self.action = action
    self.csrfToken = csrfToken
    self.proof = proof
  }
}

extension ChangePasswordPage.Failure {
  var sentence: String {
    switch self {
    case .different: "The two passwords are different. Enter the same new password twice."
    case .notAccepted(let explanation): explanation
    case .slowed(let seconds): "There were too many attempts. Try again in \(WaitingTime.words(seconds))."
    case .busy: "Many people are signing in just now. Wait a moment, then try again."
    }
  }

  /// When another attempt is worthwhile, in seconds; nil for at once.
  package var retryAfter: Int? {
    switch self {
    case .slowed(let seconds): seconds
    case .busy: 5
    case .different, .notAccepted: nil
    }
  }
}
