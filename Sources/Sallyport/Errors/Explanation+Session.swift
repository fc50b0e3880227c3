import SallyportProtocol

extension SessionError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .signInRequired(let requirement): requirement.explanation
    case .refused(let refusal): refusal.explanation
    case .unavailable(let status): Explanation("the server is in trouble (status \(status))", Advice.again)
    case .network(let error): error.explanation
    case .discovery(let error): error.explanation.prefixed("the server's metadata")
    case .tokenResponse(let error): error.explanation.prefixed("the token response")
    case .idToken(let error): error.explanation.prefixed("the ID token")
    case .userInfo(let error): error.explanation.prefixed("userinfo")
    case .stepUpRequired:
      Explanation(
        "the API asks for more than was granted", rule: "RFC 6750 §3.1, RFC 9470 §3",
        "Sign the person in again with the scopes or the authentication that the error names.")
    case .dpopKey(let error): error.explanation
    case .request(let error): error.explanation
    case .store(let error): error.explanation
    case .cancelled: Explanation("the program stopped the call", "Nothing was lost; call again when it is wanted.")
    case .other(let reason): Explanation("a part of the app's own failed (\(reason))", "Look at the store.")
    }
  }
}

extension SignInRequirement {
  /// What happened, and what to do.
  public var explanation: Explanation {
    switch self {
    case .signedOut: Explanation("the app, or another process of it, has signed out", Advice.signIn)
    case .noRefreshToken:
      Explanation(
        "the access token has run out and there is no refresh token", rule: "RFC 6749 §1.5",
        "Sign the person in again; ask for offline_access to stay signed in.")
    case .refused(let refusal):
      Explanation("the server ended the session: \(refusal.words)", rule: "RFC 6749 §5.2", Advice.signIn)
    case .refusedAfterLostReply(let refusal):
      Explanation(
        "the server ended the session after a reply of its own was lost: \(refusal.words)", rule: "RFC 6749 §5.2",
        "Sign the person in again; a server that forgives one lost reply would not have ended it.")
    case .keyLost: Explanation("the key that the tokens are bound to is gone", rule: "RFC 9449 §5", Advice.signIn)
    }
  }
}

extension RequestError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .malformed:
      Explanation(
        "no request that a token goes with", rule: "RFC 6750 §5.2",
        "Give scheme https, an authority, and a path that begins with a slash.")
    case .originNotAllowed:
      Explanation(
        "the token is not for this origin", rule: "RFC 9700 §4.9.1",
        "Name the API in the sign-in's resources, or its origin in the client's tokenOrigins.")
    }
  }
}

extension UserInfoError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    let core = "OpenID Connect Core §5.3"
    return switch self {
    case .notOffered: Explanation("the server has none", rule: core, "Use the claims of the ID token.")
    case .subjectUnknown: Explanation("there is no ID token to compare with", rule: core + ".2", "Ask for openid.")
    case .subjectMismatch: Explanation("it speaks of another person", rule: core + ".2", Advice.server)
    case .malformed: Explanation("not the JSON that it should be", rule: core + ".2", Advice.server)
    case .unexpectedStatus(let status): Explanation("status \(status) means nothing here", rule: core + ".3", Advice.server)
    }
  }
}
