import SallyportProtocol
import SallyportRemote

extension ResourceSignInError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .resource(let error): error.explanation.prefixed("the API's metadata")
    case .noServerChosen:
      Explanation("none of the API's authorization servers was chosen", rule: "RFC 9728 §2", "Choose one that the API names.")
    case .noClientID:
      Explanation(
        "the server gives no client identifier", rule: "RFC 7591 §3", "Register the app there, and give its identifier.")
    case .registration(let error): error.explanation.prefixed("registration")
    case .signIn(let error): error.explanation
    case .store(let error): error.explanation
    case .cancelled: Explanation("the program stopped the sign-in", "Nothing is left open; begin anew when the person wants to.")
    case .other(let reason): Explanation("a part of the app's own failed (\(reason))", "Look at the store.")
    }
  }
}

extension ResourceDiscoveryError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .network(let error): error.explanation
    case .document(let error): error.explanation
    case .metadataURLNotAllowed:
      Explanation(
        "the API leads to an address that it may not lead to", rule: "RFC 9728 §7.7", "Report it to those who run the API.")
    case .resourceMismatch(let found):
      Explanation(
        "they speak of another resource, \(found)", rule: "RFC 9728 §3.3", "Give the API's URL as its metadata spell it.")
    case .noAuthorizationServer: Explanation("they name no authorization server", rule: "RFC 9728 §2", Advice.server)
    case .authorizationServersNotAllowed:
      Explanation("they name servers that they may not lead to", rule: "RFC 9728 §7.7", "Report it to those who run the API.")
    case .headerNotSupported: Explanation("the API takes no token in a header", rule: "RFC 6750 §2.1", Advice.server)
    case .malformed: Explanation("not the JSON that they should be", rule: "RFC 9728 §3.2", Advice.server)
    }
  }
}

extension RegistrationError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .discovery(let error): error.explanation.prefixed("the server's metadata")
    case .notOffered:
      Explanation("the server does not offer it", rule: "RFC 7591 §3", "Register the app by hand, and give its identifier.")
    case .metadata(let error): error.explanation
    case .network(let error): error.explanation
    case .refused(let refusal):
      Explanation("the server refused: \(refusal.words)", rule: "RFC 7591 §3.2.2", "Change what the app says of itself.")
    case .unavailable(let status): Explanation("the server is in trouble (status \(status))", Advice.again)
    case .response(let error): error.explanation
    case .notRegistered: Explanation("nothing is registered", rule: "RFC 7592 §2", "Register first, with client().")
    case .notManageable:
      Explanation("the server gave no way to manage it", rule: "RFC 7592 §3", "Ask those who run the server to change it.")
    case .forgotten: Explanation("the server does not know it any more", rule: "RFC 7592 §2", "Register anew, with confirm().")
    case .store(let error): error.explanation
    case .cancelled: Explanation("the program stopped the call", "Nothing was lost; call again when it is wanted.")
    case .other(let reason): Explanation("a part of the app's own failed (\(reason))", "Look at the store.")
    }
  }
}

extension ClientMetadataError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .redirectURI(let index, let error): error.explanation.prefixed("redirect URI \(index + 1)")
    case .redirectURITooLong(let index): Explanation("redirect URI \(index + 1) is too long", "Use a shorter one.")
    case .tooManyRedirectURIs: Explanation("too many redirect URIs", "Register those that are used.")
    case .noRedirectURI: Explanation("no redirect URI", rule: "RFC 7591 §2", "Name where the answer is sent.")
    case .redirectURINotForWeb(let index):
      Explanation(
        "redirect URI \(index + 1) is a native app's", rule: "OpenID Connect Registration §2", "Set application_type to native.")
    case .mixedRedirectURIs:
      Explanation("redirect URIs of native and web apps", rule: "OpenID Connect Registration §2", "Set application_type.")
    case .member(let name):
      Explanation("\(name) has no value that it may have", rule: "RFC 7591 §2", "Mend or leave out \(name).")
    case .grantTypes: Explanation("a grant type that no client should use", rule: "RFC 9700 §2.1.2, §2.4", "Use the code grant.")
    case .keys: Explanation("keys that are missing, doubled or none", rule: "RFC 7591 §2", "Give either jwks or jwks_uri.")
    case .authenticationMissing:
      Explanation(
        "a client that proves nothing asks for tokens of its own", rule: "RFC 6749 §4.4", "Register it with a secret or key.")
    }
  }
}

extension RegistrationResponseError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .unexpectedStatus(let status):
      Explanation("status \(status) neither registers nor refuses", rule: "RFC 7591 §3.2", Advice.server)
    case .malformed: Explanation("not the JSON that it should be", rule: "RFC 7591 §3.2.1", Advice.server)
    case .clientIDInvalid: Explanation("an identifier that cannot be sent", rule: "RFC 6749 Appendix A.1", Advice.server)
    case .clientIDChanged: Explanation("another client's registration", rule: "RFC 7592 §2.1", Advice.server)
    case .credentialMalformed: Explanation("a credential that cannot be sent", rule: "RFC 6749 Appendix A.2", Advice.server)
    case .secretMissing: Explanation("no secret for a method that needs one", rule: "RFC 7591 §3.2.1", Advice.server)
    case .methodNotSupported: Explanation("a way to authenticate that was not asked for", rule: "RFC 7591 §2", Advice.server)
    case .redirectURIsMissing: Explanation("none of the redirect URIs was registered", rule: "RFC 7591 §3.2.1", Advice.server)
    case .managementURI(let error): error.explanation.prefixed("registration_client_uri")
    }
  }
}
