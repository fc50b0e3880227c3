/// What a developer needs to know of an error: what happened, which rule was broken, and what to do about it.
///
/// The texts are fixed, but for what the error itself carries, and hold no token, code, state or body. They are for a developer and
/// a log; what a person is told is the app's to say.
public struct Explanation: Equatable, Sendable, CustomStringConvertible {
  /// One sentence without its full stop.
  public let problem: String
  /// The clause of the rule that was broken, for example `RFC 8252 §8.9`; nil where the error breaks none.
  public let rule: String?
  /// The next step, as a sentence.
  public let advice: String

  init(_ problem: String, rule: String? = nil, _ advice: String) {
    self.problem = problem
    self.rule = rule
    self.advice = advice
  }

  /// The same, as a part of something larger.
  func prefixed(_ words: String) -> Explanation {
    Explanation("\(words): \(self.problem)", rule: self.rule, self.advice)
  }

  public var description: String { "\(self.finding). \(self.advice)" }

  /// What happened and which rule was broken, without the advice, which is another one for who runs a command.
  package var finding: String { self.problem + (self.rule.map { " (\($0))" } ?? "") }
}

/// What is to be done where a server breaks a rule: nothing in the app helps, and nothing was used.
enum Advice {
  static let server = "Nothing of it was used; report it to those who run the server."
  static let again = "Try again later; the session and the sign-in's other parts are as they were."
  static let signIn = "Sign the person in again."
  static let offer = "Sign in again when the person asks for it, and not by itself."
}
