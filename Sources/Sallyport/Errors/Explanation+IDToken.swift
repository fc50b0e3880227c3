import SallyportProtocol
public import SallyportRemote

extension IDTokenError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .malformed: Explanation("no signed token", rule: "RFC 7515 §7.1", Advice.server)
    case .claimsMalformed: Explanation("claims are missing or of a wrong type", rule: "OpenID Connect Core §2", Advice.server)
    case .algorithmNotAllowed: Explanation("an algorithm that is not allowed", rule: Self.rule(7), Advice.server)
    case .criticalHeader: Explanation("a critical header that is not understood", rule: "RFC 7515 §4.1.11", Advice.server)
    case .key(let error): error.explanation
    case .signatureInvalid: Explanation("its signature is wrong", rule: Self.rule(6), Advice.server)
    case .issuerMismatch: Explanation("it is of another issuer", rule: Self.rule(2), Advice.server)
    case .subjectInvalid: Explanation("its subject is empty or too long", rule: "OpenID Connect Core §2", Advice.server)
    case .audienceMismatch: Explanation("it is for another client", rule: Self.rule(3), Advice.server)
    case .authorizedPartyMissing: Explanation("it is for several clients and has no azp", rule: Self.rule(4), Advice.server)
    case .authorizedPartyMismatch: Explanation("it was issued to another client", rule: Self.rule(5), Advice.server)
    case .expired: Explanation("it has expired", rule: Self.rule(9), "Check the clocks of this machine and the server.")
    case .notYetValid:
      Explanation("it is not valid yet", rule: "RFC 7519 §4.1.5", "Check the clocks of this machine and the server.")
    case .issuedInFuture:
      Explanation("it was issued in the future", rule: Self.rule(10), "Check the clocks of this machine and the server.")
    case .nonceMismatch: Explanation("it answers another request", rule: Self.rule(11), Advice.server)
    case .accessTokenHashMismatch:
      Explanation("it belongs to another access token", rule: "OpenID Connect Core §3.1.3.8", Advice.server)
    case .authenticationTimeMissing: Explanation("auth_time was asked for and is missing", rule: Self.rule(13), Advice.server)
    case .authenticatedTooLongAgo:
      Explanation("the person authenticated too long ago", rule: Self.rule(13), "Sign in with prompt login.")
    case .authenticationContextMismatch:
      Explanation(
        "none of the classes of authentication that were asked for", rule: Self.rule(12), "Ask for others, or do not demand them."
      )
    case .changed: Explanation("it differs from the one before the refresh", rule: "OpenID Connect Core §12.2", Advice.server)
    }
  }

  private static func rule(_ number: Int) -> String { "OpenID Connect Core §3.1.3.7 (\(number))" }
}

extension JWKSError {
  /// What happened, which rule was broken, and what to do.
  public var explanation: Explanation {
    switch self {
    case .document(let error): error.explanation.prefixed("the server's keys")
    case .unsupportedAlgorithm: Explanation("an algorithm that is not supported", rule: "RFC 7518 §3.1", Advice.server)
    case .unknownKey: Explanation("signed with a key that the server does not publish", rule: "RFC 7517 §4.5", Advice.server)
    case .unsuitableKey: Explanation("signed with a key of another use or kind", rule: "RFC 7517 §4.2", Advice.server)
    case .ambiguousKey: Explanation("no kid, and several keys would do", rule: "OpenID Connect Core §10.1", Advice.server)
    case .invalidKey: Explanation("the server publishes a key that is none", rule: "RFC 7518 §6", Advice.server)
    }
  }
}
