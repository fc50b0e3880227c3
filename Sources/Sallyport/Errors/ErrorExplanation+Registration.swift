import SallyportProtocol
public import SallyportRemote

extension ResourceSignInError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .resource(let error): error.explanation.prefixed("the API's metadata")
    case .noServerChosen:
      ErrorExplanation(
        "none of the API's authorization servers was chosen", rule: "RFC 9728 §2",
        "Choose a server that the API's metadata names.")
    case .noClientID:
      ErrorExplanation(
        "the app has no client identifier at the server, which does not offer registration", rule: "RFC 7591 §3",
        "Register the app with the server's operator, and configure the client identifier.")
    case .registration(let error): error.explanation.prefixed("registration")
    case .signIn(let error): error.explanation
    case .store(let error): error.explanation
    case .cancelled: ErrorExplanation("the app canceled the sign-in", Advice.startAgain)
    case .other(let reason): ErrorExplanation("an unexpected error occurred (\(reason))", Advice.ownStore)
    }
  }
}

extension ResourceDiscoveryError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .network(let error): error.explanation
    case .document(let error): error.explanation
    case .metadataURLNotAllowed:
      ErrorExplanation(
        "the API's WWW-Authenticate header names a metadata URL that is not allowed", rule: "RFC 9728 §7.7", Advice.api)
    case .resourceMismatch(let found):
      ErrorExplanation(
        "\"resource\" is \"\(found)\", not the URL of the API", rule: "RFC 9728 §3.3",
        "Use the API's URL exactly as its metadata spells it.")
    case .noAuthorizationServer:
      ErrorExplanation("\"authorization_servers\" is missing or empty", rule: "RFC 9728 §2", Advice.api)
    case .authorizationServersNotAllowed:
      ErrorExplanation(
        "\"authorization_servers\" contains no issuer that is allowed", rule: "RFC 9728 §7.7", Advice.api)
    case .headerNotSupported:
      ErrorExplanation("the API does not accept tokens in the Authorization header", rule: "RFC 6750 §2.1", Advice.api)
    case .malformed: ErrorExplanation("the origin of the API is not a valid URL", rule: "RFC 9728 §3.1", Advice.api)
    }
  }
}

extension RegistrationError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .discovery(let error): error.explanation.prefixed("server metadata")
    case .notOffered:
      ErrorExplanation(
        "the server does not offer dynamic client registration", rule: "RFC 7591 §3",
        "Register the app with the server's operator, and configure the client identifier.")
    case .metadata(let error): error.explanation
    case .network(let error): error.explanation
    case .refused(let errorResponse):
      ErrorExplanation(
        "the server rejected the registration: \(errorResponse.codeAndDescription)", rule: "RFC 7591 §3.2.2",
        "Change the client metadata that the app registers.")
    case .unavailable(let status):
      ErrorExplanation("the server is temporarily unavailable (status \(status))", Advice.tryAgainLater)
    case .response(let error): error.explanation
    case .notRegistered:
      ErrorExplanation("this installation is not registered", rule: "RFC 7592 §2", "Call client() to register it.")
    case .notManageable:
      ErrorExplanation(
        "the server does not offer management of this registration", rule: "RFC 7592 §3",
        "Ask the server's operator to change or remove it.")
    case .forgotten:
      ErrorExplanation(
        "the server no longer has this registration", rule: "RFC 7592 §2", "Call client() to register again.")
    case .store(let error): error.explanation
    case .cancelled: ErrorExplanation("the app canceled the call", "No data was lost. Repeat the call when needed.")
    case .other(let reason): ErrorExplanation("an unexpected error occurred (\(reason))", Advice.ownStore)
    }
  }
}

extension ClientMetadataError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .redirectURI(let index, let error): error.explanation.prefixed("redirect URI \(index + 1)")
    case .redirectURITooLong(let index):
      ErrorExplanation("redirect URI \(index + 1) is too long", "Use a shorter redirect URI.")
    case .tooManyRedirectURIs:
      ErrorExplanation("there are too many redirect URIs", "Register only the redirect URIs that the app uses.")
    case .noRedirectURI:
      ErrorExplanation("there is no redirect URI", rule: "RFC 7591 §2", "Add at least one redirect URI.")
    case .redirectURINotForWeb(let index):
      ErrorExplanation(
        "redirect URI \(index + 1) is only valid for a native app", rule: "OpenID Connect Registration §2",
        "Set \"application_type\" to \"native\", or use an https redirect URI.")
    case .mixedRedirectURIs:
      ErrorExplanation(
        "some redirect URIs are for native apps, and others for web apps", rule: "OpenID Connect Registration §2",
        "Set \"application_type\" to \"native\", or register https redirect URIs only.")
    case .member(let name, let problem):
      ErrorExplanation("\"\(name)\" \(problem.rule)", rule: "RFC 7591 §2", "Correct or remove \"\(name)\".")
    case .grantTypes:
      ErrorExplanation(
        "\"grant_types\" contains a grant type that is not allowed, or does not match \"response_types\"",
        rule: "RFC 9700 §2.1.2, §2.4", "Use the grant type \"authorization_code\" with the response type \"code\".")
    case .authenticationMissing:
      ErrorExplanation(
        "a public client cannot use the client_credentials grant", rule: "RFC 6749 §4.4",
        "Register the client with a secret or a key.")
    }
  }
}

extension RegistrationResponseError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .unexpectedStatus(let status):
      ErrorExplanation("the server returned unexpected status \(status)", rule: "RFC 7591 §3.2", Advice.server)
    case .malformed: ErrorExplanation("the registration response is not valid", rule: "RFC 7591 §3.2.1", Advice.server)
    case .clientIDInvalid:
      ErrorExplanation(
        "\"client_id\" is empty, too long, or contains characters that are not allowed",
        rule: "RFC 6749 Appendix A.1", Advice.server)
    case .clientIDChanged:
      ErrorExplanation("the response is for another client", rule: "RFC 7592 §2.1", Advice.server)
    case .credentialMalformed:
      ErrorExplanation(
        "a secret or token in the response is empty, too long, or contains characters that are not allowed",
        rule: "RFC 6749 Appendix A.2", Advice.server)
    case .secretMissing:
      ErrorExplanation(
        "\"client_secret\" is missing although the authentication method requires it",
        rule: "RFC 7591 §3.2.1", Advice.server)
    case .methodNotSupported:
      ErrorExplanation(
        "the server registered an authentication method that the client did not request or does not support",
        rule: "RFC 7591 §2", Advice.server)
    case .redirectURIsMissing:
      ErrorExplanation("the server registered none of the redirect URIs", rule: "RFC 7591 §3.2.1", Advice.server)
    case .managementURI(let error): error.explanation.prefixed("\"registration_client_uri\"")
    }
  }
}
