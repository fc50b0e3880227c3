import SallyportProtocol
public import SallyportRemote

extension SignInError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .cancelled: ErrorExplanation("the app canceled the sign-in", Advice.startAgain)
    case .dismissed: ErrorExplanation("the user closed the page", Advice.onlyOnRequest)
    case .denied(let errorResponse):
      ErrorExplanation("the sign-in was denied: \(errorResponse.codeAndDescription)", Advice.onlyOnRequest)
    case .timedOut:
      ErrorExplanation("the sign-in was not finished in time", "Offer it again, or allow a longer timeout.")
    case .refused(let errorResponse): errorResponse.explanation
    case .unavailable(let status):
      ErrorExplanation("the server is temporarily unavailable (status \(status))", Advice.tryAgainLater)
    case .network(let error): error.explanation
    case .discovery(let error): error.explanation.prefixed("server metadata")
    case .noUsableRedirect(let fallbacks):
      ErrorExplanation(
        "no redirect option can be used (\(fallbacks.map { "\($0.kind)" }.joined(separator: ", ")))",
        rule: "RFC 8252 §7", "Offer another option, for example .noBrowser with signInOnAnotherDevice.")
    case .userAgent(let error): error.explanation
    case .receiver(let error): error.explanation
    case .redirectURIBelongsTo(let issuer):
      ErrorExplanation(
        "this redirect URI is already in use with \"\(issuer)\"", rule: "RFC 8252 §8.10",
        "Register a separate redirect URI, with another path, for each authorization server.")
    case .authorizationURL(let error): error.explanation.prefixed("authorization endpoint")
    case .promptConflict:
      ErrorExplanation(
        "prompt \"none\" is combined with another value", rule: "OpenID Connect Core §3.1.2.1",
        "Use \"none\" alone, or leave it out.")
    case .maxAgeNegative:
      ErrorExplanation("max_age is negative", rule: "OpenID Connect Core §3.1.2.1", "Use zero or more seconds.")
    case .formPostRequiresHTTPS:
      ErrorExplanation(
        "the response mode is form_post, but the redirect URI is not an https URL",
        "Use an https redirect URI at which a server of the app receives the form, or the response mode query.")
    case .redirectPortMissing:
      ErrorExplanation(
        "the loopback redirect URI has no port", rule: "RFC 8252 §7.3",
        "Start the sign-in with a receiver, which chooses a free port.")
    case .pushedRequest(let error): error.explanation.prefixed("pushed authorization request")
    case .dpopNotOffered:
      ErrorExplanation(
        "the server does not support DPoP with ES256", rule: "RFC 9449 §5.1", "Use another DPoP policy or another server.")
    case .dpopKey(let error): error.explanation
    case .clientSecret(let error): error.explanation
    case .response(let error): error.explanation.prefixed("authorization response")
    case .deviceAuthorization(let error): error.explanation.prefixed("device authorization")
    case .tokenResponse(let error): error.explanation.prefixed("token response")
    case .idToken(let error): error.explanation.prefixed("ID token")
    case .store(let error): error.explanation
    case .other(let reason):
      ErrorExplanation("a component of the app failed (\(reason))", "Check the receiver and the token store.")
    }
  }
}

extension OAuthErrorResponse {
  /// The error code and, in quotation marks, the server's description. Both are already limited in length and contain
  /// no control characters.
  var codeAndDescription: String { "\(self.code)" + (self.description.map { ", \"\($0)\"" } ?? "") }

  /// What happened and what to do.
  public var explanation: ErrorExplanation {
    let advice =
      switch (self.code.kind, self.code) {
      case (.clientRejected, _):
        "Compare the client identifier, its credentials, and the client type with the server's registration."
      case (.temporary, _): Advice.tryAgainLater
      case (.endsSession, _), (.needsUser, _): Advice.signIn
      case (.denied, _): Advice.onlyOnRequest
      case (_, .invalidScope):
        "Request only scopes that are registered for this client. In a refresh, request only scopes that the user granted."
      case (_, .invalidTarget):
        "Request only resources that the server knows. In a refresh, request only resources that the sign-in named."
      case (_, .invalidRequest):
        "Compare the redirect URI and the client with the server's registration. The server's description may say more."
      default: "See the server's documentation for the meaning of this error code."
      }
    let rule = self.code == .invalidTarget ? "RFC 8707 §2" : "RFC 6749 §4.1.2.1, §5.2"
    return ErrorExplanation("the server returned an error: \(self.codeAndDescription)", rule: rule, advice)
  }
}

extension AuthorizationResponseError {
  /// What happened, which rule was violated, and what to do. In these texts, "it" is the response.
  public var explanation: ErrorExplanation {
    switch self {
    case .malformed: ErrorExplanation("it is not a valid URL", rule: "RFC 6749 §4.1.2", Advice.server)
    case .wrongRedirectURI:
      ErrorExplanation("it does not match the redirect URI of the request", rule: "RFC 8252 §8.10", Advice.ignored)
    case .repeatedParameter:
      ErrorExplanation("it repeats a parameter", rule: "RFC 6749 §3.1", Advice.server)
    case .stateMissing: ErrorExplanation("\"state\" is missing", rule: "RFC 8252 §8.9", Advice.ignored)
    case .stateMismatch:
      ErrorExplanation("\"state\" does not match any sign-in in progress", rule: "RFC 8252 §8.9", Advice.ignored)
    case .alreadyReceived:
      ErrorExplanation(
        "this sign-in has already received its response", rule: "RFC 6749 §4.1.2",
        "Ignore the response. Each response is used once.")
    case .issuerMissing:
      ErrorExplanation("\"iss\" is missing although the server announces it", rule: "RFC 9207 §2.4", Advice.server)
    case .issuerMismatch: ErrorExplanation("\"iss\" names a different issuer", rule: "RFC 9207 §2.4", Advice.server)
    case .codeMissing:
      ErrorExplanation("it has neither \"code\" nor \"error\"", rule: "RFC 6749 §4.1.2", Advice.server)
    case .refused(let errorResponse): errorResponse.explanation
    }
  }
}

extension TokenResponseError {
  /// What happened, which rule was violated, and what to do. In these texts, "it" is the response.
  public var explanation: ErrorExplanation {
    switch self {
    case .unexpectedStatus(let status):
      ErrorExplanation("the server returned unexpected status \(status)", rule: "RFC 6749 §5", Advice.server)
    case .malformed:
      ErrorExplanation(
        "it is not valid JSON, or is missing \"access_token\", or a member has the wrong type", rule: "RFC 6749 §5.1",
        Advice.server)
    case .tokenTypeNotSupported:
      ErrorExplanation("\"token_type\" is not supported", rule: "RFC 6749 §7.1", Advice.server)
    case .tokenNotBound:
      ErrorExplanation("the token is not bound to the client's key", rule: "RFC 9449 §5", Advice.server)
    case .lifetimeInvalid:
      ErrorExplanation(
        "\"expires_in\" must be a number of seconds from 0 to ten years", rule: "RFC 6749 §5.1", Advice.server)
    case .tokenMalformed:
      ErrorExplanation(
        "a token is empty, too long, or contains characters that are not allowed in an HTTP header",
        rule: "RFC 6749 Appendix A.12", Advice.server)
    case .idTokenMissing:
      ErrorExplanation(
        "\"id_token\" is missing although the request included the scope openid", rule: "OpenID Connect Core §3.1.3.3",
        "Enable OpenID Connect for this client on the server.")
    }
  }
}

extension PushedRequestError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .endpointMissing:
      ErrorExplanation(
        "pushed requests are required, but the server's metadata names no endpoint for them",
        rule: "RFC 9126 §5", Advice.server)
    case .unexpectedStatus(let status):
      ErrorExplanation("the server returned unexpected status \(status)", rule: "RFC 9126 §2.2", Advice.server)
    case .malformed:
      ErrorExplanation(
        "the response is not valid JSON, or is missing \"request_uri\" or \"expires_in\"",
        rule: "RFC 9126 §2.2", Advice.server)
    case .lifetimeInvalid:
      ErrorExplanation("\"expires_in\" must be a positive number of seconds", rule: "RFC 9126 §2.2", Advice.server)
    case .requestURIMalformed:
      ErrorExplanation("\"request_uri\" is not an absolute URI, or is too long", rule: "RFC 9126 §2.2", Advice.server)
    }
  }
}

extension DeviceAuthorizationError {
  /// What happened, which rule was violated, and what to do. In these texts, "it" is device authorization.
  public var explanation: ErrorExplanation {
    switch self {
    case .notOffered:
      ErrorExplanation(
        "the server does not support it", rule: "RFC 8628 §4", "Sign in with a browser, or paste the redirect URL.")
    case .unexpectedStatus(let status):
      ErrorExplanation("the server returned unexpected status \(status)", rule: "RFC 8628 §3.2", Advice.server)
    case .malformed:
      ErrorExplanation(
        "the response is not valid JSON, or a required member is missing, or a member has the wrong type",
        rule: "RFC 8628 §3.2", Advice.server)
    case .deviceCodeMalformed:
      ErrorExplanation(
        "\"device_code\" is empty, too long, or contains characters that are not allowed",
        rule: "RFC 8628 §3.2", Advice.server)
    case .userCodeMalformed:
      ErrorExplanation(
        "\"user_code\" is empty, too long, or contains characters that are not allowed",
        rule: "RFC 8628 §6.1", Advice.server)
    case .verificationURI(let error): error.explanation.prefixed("verification URI")
    case .completeURIOriginMismatch:
      ErrorExplanation(
        "\"verification_uri_complete\" has a different origin than \"verification_uri\"",
        rule: "RFC 8628 §3.3.1", Advice.server)
    case .lifetimeInvalid:
      ErrorExplanation(
        "\"expires_in\" must be a positive number of seconds, at most 30 days", rule: "RFC 8628 §3.2", Advice.server)
    case .intervalInvalid:
      ErrorExplanation(
        "\"interval\" must be a number of seconds from 0 to 3600", rule: "RFC 8628 §3.2", Advice.server)
    }
  }
}

extension SignInProgress {
  /// What happened and what to do, if the app's developer should know about this stage. `nil` for all other stages.
  public var explanation: ErrorExplanation? {
    switch self {
    case .refreshTokenMissing:
      ErrorExplanation(
        "the server returned no refresh token although the scope offline_access was requested",
        rule: "OpenID Connect Core §11",
        "Sign in with the prompt \"consent\", or allow refresh tokens for this client at the server. Until then, the user "
          + "must sign in again when the access token expires.")
    case .sendingSharedSecret, .skipped, .opening, .responseReceived: nil
    }
  }
}
