import SallyportProtocol
public import SallyportRemote

extension SessionError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .signInRequired(let requirement): requirement.explanation
    case .refused(let errorResponse): errorResponse.explanation
    case .unavailable(let status):
      ErrorExplanation("the server is temporarily unavailable (status \(status))", Advice.tryAgainLater)
    case .network(let error): error.explanation
    case .discovery(let error): error.explanation.prefixed("server metadata")
    case .tokenResponse(let error): error.explanation.prefixed("token response")
    case .idToken(let error): error.explanation.prefixed("ID token")
    case .userInfo(let error): error.explanation.prefixed("userinfo")
    case .stepUpRequired:
      ErrorExplanation(
        "the API requires more scope or stronger authentication than the session has",
        rule: "RFC 6750 §3.1, RFC 9470 §3", "Sign the user in again with the options for this step-up.")
    case .boundToKey:
      ErrorExplanation(
        "the access token is bound to a key, so it cannot be used alone", rule: "RFC 9449 §7",
        "Call send(_:) or authorization(for:), which add a proof. For bearer tokens, sign in with the DPoP policy .never.")
    case .dpopKey(let error): error.explanation
    case .clientSecret(let error): error.explanation
    case .requestMalformed:
      ErrorExplanation(
        "the request cannot carry a token", rule: "RFC 6750 §5.2",
        "Use the scheme https, an authority, and a path that begins with a slash, and set no Host header field.")
    case .originNotAllowed:
      ErrorExplanation(
        "the token must not be sent to this origin", rule: "RFC 9700 §4.9.1",
        "Add the API to the resources of the sign-in or the target, or its origin to the client's tokenOrigins.")
    case .readOnly:
      ErrorExplanation(
        "this session only reads stored tokens, but none of them is valid, or the call would change them",
        "Let the app refresh the tokens, for example by opening it, and then try again. To sign out, use the app.")
    case .store(let error): error.explanation
    case .cancelled: ErrorExplanation("the app canceled the call", "No data was lost. Repeat the call when needed.")
    case .other(let reason): ErrorExplanation("an unexpected error occurred (\(reason))", Advice.ownStore)
    }
  }
}

extension SignInRequirement {
  /// What happened and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .signedOut: ErrorExplanation("this process or another process of the app has signed out", Advice.signIn)
    case .noRefreshToken:
      ErrorExplanation(
        "there is no refresh token with which to get a new access token", rule: "RFC 6749 §1.5",
        "Sign the user in again. To stay signed in, request offline_access. Some servers also require the prompt \"consent\".")
    case .refused(let errorResponse):
      ErrorExplanation("the server ended the session: \(errorResponse.codeAndDescription)", rule: "RFC 6749 §5.2", Advice.signIn)
    case .refusedAfterLostResponse(let errorResponse):
      ErrorExplanation(
        "the server ended the session after an earlier refresh response was lost: \(errorResponse.codeAndDescription)",
        rule: "RFC 6749 §5.2",
        "Sign the user in again. A server with a reuse interval for refresh tokens can keep the session in this case.")
    case .interactionRequired(let errorResponse):
      ErrorExplanation(
        "the server requires the user to interact before it refreshes the tokens: \(errorResponse.codeAndDescription)",
        rule: "OpenID Connect Core §3.1.2.6",
        "Sign the user in again, with the scope or resource that the token is for. The session is kept until then.")
    case .keyLost: ErrorExplanation("the key that the tokens are bound to is missing", rule: "RFC 9449 §5", Advice.signIn)
    }
  }
}

extension UserInfoError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    let core = "OpenID Connect Core §5.3"
    return switch self {
    case .notOffered:
      ErrorExplanation("the server has no UserInfo endpoint", rule: core, "Use the claims of the ID token.")
    case .subjectUnknown:
      ErrorExplanation(
        "there is no ID token to compare the subject with", rule: core + ".2", "Sign in with the scope openid.")
    case .subjectMismatch:
      ErrorExplanation("the response is about a different user", rule: core + ".2", Advice.server)
    case .malformed:
      ErrorExplanation(
        "the response is not valid JSON, or the user's identifier is missing or not a string",
        rule: core + ".2", Advice.server)
    case .unexpectedStatus(401):
      ErrorExplanation("the server rejected the access token (status 401)", rule: "RFC 6750 §3.1", Advice.signIn)
    case .unexpectedStatus(let status):
      ErrorExplanation("the server returned unexpected status \(status)", rule: core + ".3", Advice.server)
    }
  }
}
