import SallyportProtocol

extension SessionImportError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do. In these texts, `OIDAuthState` is the class of AppAuth
  /// that holds a session.
  public var explanation: ErrorExplanation {
    switch self {
    case .malformed:
      ErrorExplanation(
        "the data is not an OIDAuthState that NSKeyedArchiver archived in binary form",
        "Pass the data that the app archived, or create the session from its refresh token.")
    case .signedOut: ErrorExplanation("the archived state contains no usable refresh token", Advice.signIn)
    case .clientMismatch:
      ErrorExplanation("the tokens were issued to another client", "Use the client identifier that the app used before.")
    case .issuerMismatch: ErrorExplanation("the tokens were issued by another server", Advice.issuer)
    case .subjectMismatch:
      ErrorExplanation(
        "the server returned an ID token for another user", rule: "OpenID Connect Core §12.2", Advice.signIn)
    case .dpopNotOffered: SignInError.dpopNotOffered.explanation
    case .session(let error): error.explanation
    }
  }
}
