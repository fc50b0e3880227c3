public import SallyportProtocol
public import SallyportRemote

extension TransportError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .unreachable(let reason): ErrorExplanation("the server cannot be reached (\(reason))", Advice.tryAgainLater)
    case .untrusted(let reason):
      ErrorExplanation(
        "the server's certificate is not trusted (\(reason))", rule: "RFC 9110 §4.3.4",
        "Fix the certificate, or configure the transport with the root certificates of a private authority.")
    case .timedOut: ErrorExplanation("the server did not respond in time", Advice.tryAgainLater)
    case .bodyTooLarge: ErrorExplanation("the response is too large", Advice.server)
    case .cancelled: ErrorExplanation("the app canceled the request", "No data was lost. Send it again when needed.")
    }
  }
}

extension DiscoveryError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .document(let error): error.explanation
    case .issuerMismatch(let found):
      ErrorExplanation(
        "\"issuer\" is \"\(found)\", not the issuer that the client expects", rule: "RFC 8414 §3.3", Advice.issuer)
    case .missing(let endpoint):
      ErrorExplanation("\"\(endpoint.rawValue)\" is missing", rule: "RFC 8414 §2", Advice.server)
    case .endpoint(let endpoint, let error): error.explanation.prefixed("\"\(endpoint.rawValue)\"")
    case .downgrade(let endpoint):
      ErrorExplanation("\"\(endpoint.rawValue)\" uses http although the issuer uses https", rule: "RFC 8414 §2", Advice.server)
    case .s256NotSupported:
      ErrorExplanation(
        "\"code_challenge_methods_supported\" does not list S256", rule: "RFC 7636 §4.2",
        "Use a server that supports PKCE with S256. The method \"plain\" is not supported.")
    case .codeNotSupported:
      ErrorExplanation(
        "the server does not offer the authorization code grant", rule: "RFC 8252 §8.2",
        "Enable this grant for native apps on the server.")
    }
  }
}

extension JSONDocumentError {
  /// What happened, which rule was violated, and what to do.
  public var explanation: ErrorExplanation {
    switch self {
    case .transport(let error): error.explanation
    case .status(let status) where status >= 500 || status == 429:
      ErrorExplanation("the server is temporarily unavailable (status \(status))", Advice.tryAgainLater)
    case .status(let status):
      ErrorExplanation("the server returned status \(status) instead of a document", "Check the issuer's URL.")
    case .redirected:
      ErrorExplanation(
        "the server returned a redirect, which is not followed", rule: "RFC 8414 §3", Advice.issuer)
    case .notJSON:
      ErrorExplanation("the document does not have a JSON media type", rule: "RFC 8414 §3.2", "Check the issuer's URL.")
    case .malformed:
      ErrorExplanation(
        "the document is not valid JSON, or a required member is missing or has the wrong type",
        rule: "RFC 8414 §3.2", Advice.server)
    }
  }
}

extension EndpointURLError: CustomStringConvertible {
  public var description: String { self.explanation.description }

  /// What happened, which rule was violated, and what to do. In these texts, "it" is the URL.
  public var explanation: ErrorExplanation {
    switch self {
    case .malformed:
      ErrorExplanation(
        "it is not an absolute URL, or contains characters that are not allowed", rule: "RFC 3986 §4.3",
        "Write the whole URL, for example https://id.example.com.")
    case .scheme: ErrorExplanation("its scheme is neither https nor http", rule: "RFC 6749 §3.1", "Use https.")
    case .plainHTTP:
      ErrorExplanation(
        "it uses http with a host that is not a loopback address", rule: "RFC 6749 §3.1.1",
        "Use https. Only loopback addresses can use http.")
    case .userInfo:
      ErrorExplanation("it contains user information before the host", rule: "RFC 3986 §7.5", "Remove the user information.")
    case .fragment: ErrorExplanation("it contains a fragment", rule: "RFC 6749 §3.1", "Remove the fragment.")
    }
  }
}
