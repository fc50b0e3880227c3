/// A developer-facing explanation of an error: what happened, which rule was violated, and what to do.
///
/// The texts are constant except for the values that the error itself carries. They contain no token, authorization
/// code, or state. They can contain single values of a response, such as the server's description of the error. These
/// values were limited in length and checked for unsafe characters. The texts are meant for developers and logs; an
/// app shows its own texts to users.
public struct ErrorExplanation: Equatable, Sendable, CustomStringConvertible {
  /// What happened, as a clause without a final period.
  public let problem: String
  /// The clause of a specification that was violated or explains the problem, for example `RFC 8252 §8.9`, or `nil` if
  /// there is no such clause.
  public let rule: String?
  /// What to do next, as one or more sentences.
  public let advice: String

  init(_ problem: String, rule: String? = nil, _ advice: String) {
    self.problem = problem
    self.rule = rule
    self.advice = advice
  }

  /// The same explanation, with a prefix that says which part of the exchange it is about.
  func prefixed(_ words: String) -> ErrorExplanation {
    ErrorExplanation("\(words): \(self.problem)", rule: self.rule, self.advice)
  }

  public var description: String { "\(self.finding). \(self.advice)" }

  /// The problem and the violated rule, without the advice. A command-line tool gives its own advice.
  package var finding: String { self.problem + (self.rule.map { " (\($0))" } ?? "") }
}

/// Advice that several errors share.
enum Advice {
  static let server = "No part of the response was used. Report this to the server's operator."
  static let api = "Report this to the API's operator."
  static let tryAgainLater = "Try again later."
  static let signIn = "Sign the user in again."
  static let onlyOnRequest = "Sign in again only when the user asks to."
  static let startAgain = "No sign-in is in progress anymore. Start again when the user wants to sign in."
  static let ignored = "The redirect was ignored, and the sign-in keeps waiting."
  static let clocks = "Check the clocks of this machine and the server."
  static let ownStore = "If the app has a token store of its own, check whether that store threw the error."
  static let issuer = "Configure the client with the issuer exactly as the server spells it."
}
