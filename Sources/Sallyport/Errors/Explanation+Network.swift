public import SallyportProtocol
public import SallyportRemote

extension TransportError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .unreachable(let reason): Explanation("the server cannot be reached (\(reason))", Advice.again)
    case .untrusted(let reason):
      Explanation(
        "the server's certificate is not trusted (\(reason))", rule: "RFC 9110 §4.3.4",
        "Mend the certificate, or give the transport the roots of a private authority.")
    case .timedOut: Explanation("the server did not answer in time", Advice.again)
    case .bodyTooLarge: Explanation("the answer is larger than any should be", Advice.server)
    case .cancelled: Explanation("the program stopped the request", "Nothing was lost; ask again when it is wanted.")
    }
  }
}

extension DiscoveryError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .document(let error): error.explanation
    case .issuerMismatch(let found):
      Explanation(
        "they are of another issuer, \(found)", rule: "RFC 8414 §3.3",
        "Give the client the issuer exactly as the server spells it.")
    case .missing(let endpoint): Explanation("\(endpoint.rawValue) is missing", rule: "RFC 8414 §2", Advice.server)
    case .endpoint(let endpoint, let error): error.explanation.prefixed(endpoint.rawValue)
    case .downgrade(let endpoint):
      Explanation("\(endpoint.rawValue) leads from https to http", rule: "RFC 8414 §2", Advice.server)
    case .s256NotSupported:
      Explanation(
        "the server lists PKCE methods without S256", rule: "RFC 7636 §4.2",
        "Use a server that keeps RFC 9700; there is no plain here.")
    case .codeNotSupported:
      Explanation("the server does not offer the authorization code grant", rule: "RFC 8252 §8.2", "Enable it for native apps.")
    }
  }
}

extension JSONDocumentError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .transport(let error): error.explanation
    case .status(let status) where status >= 500 || status == 429:
      Explanation("the server is in trouble (status \(status))", Advice.again)
    case .status(let status): Explanation("status \(status) where a document should be", "Check the issuer's URL.")
    case .redirected:
      Explanation(
        "a redirect, which is not followed", rule: "RFC 8414 §3", "Give the client the issuer exactly as the server spells it.")
    case .notJSON: Explanation("no JSON media type", rule: "RFC 8414 §3.2", "Check the issuer's URL.")
    case .malformed: Explanation("not the JSON that it should be", rule: "RFC 8414 §3.2", Advice.server)
    }
  }
}

extension EndpointURLError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .malformed: Explanation("no absolute URL", rule: "RFC 3986 §4.3", "Write scheme, host and path in URI characters.")
    case .scheme: Explanation("neither https nor http", rule: "RFC 6749 §3.1", "Use https.")
    case .plainHTTP:
      Explanation("http to another machine", rule: "RFC 6749 §3.1.1", "Use https; http is for loopback addresses alone.")
    case .userInfo: Explanation("user information before the host", rule: "RFC 3986 §7.5", "Leave it out.")
    case .fragment: Explanation("a fragment", rule: "RFC 6749 §3.1", "Leave it out.")
    }
  }
}
