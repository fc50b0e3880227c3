import SallyportProtocol

extension SignInError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .cancelled: Explanation("the program stopped the sign-in", "Nothing is left open; begin anew when the person wants to.")
    case .dismissed: Explanation("the person closed the page", Advice.offer)
    case .denied(let refusal): Explanation("the person, or the server for them, said no: \(refusal.words)", Advice.offer)
    case .timedOut: Explanation("nobody finished the sign-in in time", "Offer it again, or allow a longer timeout.")
    case .refused(let refusal): refusal.explanation
    case .unavailable(let status): Explanation("the server is in trouble (status \(status))", Advice.again)
    case .network(let error): error.explanation
    case .discovery(let error): error.explanation.prefixed("the server's metadata")
    case .noUsableRedirect(let fallbacks):
      Explanation(
        "none of the ways back to the app can be used here (\(fallbacks.map { "\($0.kind)" }.joined(separator: ", ")))",
        rule: "RFC 8252 §7", "Offer another one, for example .noBrowser with signInOnAnotherDevice.")
    case .userAgent(let error): error.explanation
    case .receiver(let error): error.explanation
    case .redirectURIBelongsTo(let issuer):
      Explanation(
        "this redirect URI is in use with \(issuer)", rule: "RFC 8252 §8.10",
        "Register a redirect URI of its own, with another path, for each authorization server.")
    case .authorizationURL(let error): error.explanation.prefixed("the authorization request")
    case .optionsInvalid(let error): error.explanation
    case .pushedRequest(let error): error.explanation.prefixed("the pushed request")
    case .dpopNotOffered:
      Explanation(
        "the server does not bind tokens to a key", rule: "RFC 9449 §5.1", "Use another DPoP policy, or another server.")
    case .dpopKey(let error): error.explanation
    case .response(let error): error.explanation.prefixed("the authorization response")
    case .deviceAuthorization(let error): error.explanation.prefixed("device authorization")
    case .tokenResponse(let error): error.explanation.prefixed("the token response")
    case .idToken(let error): error.explanation.prefixed("the ID token")
    case .store(let error): error.explanation
    case .other(let reason):
      Explanation("a part of the app's own failed (\(reason))", "Look at the receiver, user agent or store.")
    }
  }
}

extension ServerRefusal {
  /// Code and text as the server wrote them, already bounded and free of controls.
  var words: String { "\(self.code)" + (self.description.map { ", \"\($0)\"" } ?? "") }

  /// What happened and what to do.
  public var explanation: Explanation {
    let advice =
      switch self.code {
      case .invalidClient, .unauthorizedClient: "Compare the client identifier and its kind with what is registered."
      case .invalidScope: "Ask for scopes that this client is registered for."
      case .invalidGrant: Advice.signIn
      case .serverError, .temporarilyUnavailable: Advice.again
      case .invalidRequest: "Compare redirect URI and client with what is registered; the server's own text may say more."
      default: "The code is the server's; its documentation says what it means."
      }
    return Explanation("the server refused: \(self.words)", rule: "RFC 6749 §4.1.2.1, §5.2", advice)
  }
}

extension AuthorizationResponseError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .malformed: Explanation("no URL that can be read", rule: "RFC 6749 §4.1.2", Advice.server)
    case .wrongRedirectURI:
      Explanation(
        "it came on another redirect URI than the request's", rule: "RFC 8252 §8.10", "Nothing of it was used; the wait goes on.")
    case .repeatedParameter: Explanation("a parameter stands twice", rule: "RFC 6749 §3.1", Advice.server)
    case .stateMissing: Explanation("it has no state", rule: "RFC 8252 §8.9", "Nothing of it was used; the wait goes on.")
    case .stateMismatch:
      Explanation(
        "its state belongs to no sign-in that waits", rule: "RFC 8252 §8.9", "Nothing of it was used; the wait goes on.")
    case .alreadyAnswered:
      Explanation("this sign-in was answered before", rule: "RFC 6749 §4.1.2", "Ignore it; an answer is used once.")
    case .issuerMissing: Explanation("it has no iss, which the server announces", rule: "RFC 9207 §2.4", Advice.server)
    case .issuerMismatch: Explanation("it is of another issuer", rule: "RFC 9207 §2.4", Advice.server)
    case .codeMissing: Explanation("it has neither a code nor an error", rule: "RFC 6749 §4.1.2", Advice.server)
    case .refused(let refusal): refusal.explanation
    }
  }
}

extension TokenResponseError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .unexpectedStatus(let status):
      Explanation("status \(status) neither grants nor refuses", rule: "RFC 6749 §5", Advice.server)
    case .malformed: Explanation("not the JSON that it should be", rule: "RFC 6749 §5.1", Advice.server)
    case .tokenTypeNotSupported: Explanation("a token of an unknown type", rule: "RFC 6749 §7.1", Advice.server)
    case .tokenNotBound: Explanation("the token is not bound to the client's key", rule: "RFC 9449 §5", Advice.server)
    case .lifetimeInvalid: Explanation("expires_in makes no sense", rule: "RFC 6749 §5.1", Advice.server)
    case .tokenMalformed: Explanation("a token that no header can carry", rule: "RFC 6749 Appendix A.12", Advice.server)
    case .idTokenMissing:
      Explanation(
        "openid was asked for and no ID token came", rule: "OpenID Connect Core §3.1.3.3",
        "Register the client for OpenID Connect.")
    }
  }
}

extension PushedRequestError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .endpointMissing: Explanation("the server demands one and names no endpoint", rule: "RFC 9126 §5", Advice.server)
    case .unexpectedStatus(let status):
      Explanation("status \(status) neither grants nor refuses", rule: "RFC 9126 §2.2", Advice.server)
    case .malformed: Explanation("not the JSON that it should be", rule: "RFC 9126 §2.2", Advice.server)
    case .lifetimeInvalid: Explanation("expires_in makes no sense", rule: "RFC 9126 §2.2", Advice.server)
    case .requestURIMalformed: Explanation("request_uri is no URI of the server's", rule: "RFC 9126 §2.2", Advice.server)
    }
  }
}

extension DeviceAuthorizationError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .notOffered:
      Explanation("the server does not offer it", rule: "RFC 8628 §4", "Sign in with a browser, or paste the redirect.")
    case .unexpectedStatus(let status):
      Explanation("status \(status) neither grants nor refuses", rule: "RFC 8628 §3.2", Advice.server)
    case .malformed: Explanation("not the JSON that it should be", rule: "RFC 8628 §3.2", Advice.server)
    case .deviceCodeMalformed: Explanation("a device code that cannot be sent", rule: "RFC 8628 §3.2", Advice.server)
    case .userCodeMalformed: Explanation("a user code that nobody could type", rule: "RFC 8628 §6.1", Advice.server)
    case .verificationURI(let error): error.explanation.prefixed("verification_uri")
    case .completeURIElsewhere:
      Explanation("verification_uri_complete leads to another site", rule: "RFC 8628 §3.3.1", Advice.server)
    case .lifetimeInvalid: Explanation("expires_in makes no sense", rule: "RFC 8628 §3.2", Advice.server)
    case .intervalInvalid: Explanation("interval makes no sense", rule: "RFC 8628 §3.2", Advice.server)
    }
  }
}
