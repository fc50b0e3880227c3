import SallyportProtocol
public import SallyportRemote

extension IDTokenError {
  /// What happened, which rule was violated, and what to do. In these texts, "it" is the ID token.
  public var explanation: ErrorExplanation {
    switch self {
    case .malformed(.tooLong): ErrorExplanation("it is longer than the limit of 32 KiB", Advice.server)
    case .malformed(.notThreeParts): ErrorExplanation("it is not a signed JWT", rule: "RFC 7515 §7.1", Advice.server)
    case .malformed(.notBase64URL), .malformed(.signatureNotBase64URL):
      ErrorExplanation("it contains characters that are not base64url", rule: "RFC 7515 §2", Advice.server)
    case .malformed(.headerMalformed):
      ErrorExplanation("its header is not a JSON object with \"alg\"", rule: "RFC 7515 §4.1.1", Advice.server)
    case .claimsMalformed:
      ErrorExplanation("claims are missing or have the wrong type", rule: "OpenID Connect Core §2", Advice.server)
    case .algorithmNotAllowed:
      ErrorExplanation("its signature algorithm is not allowed", rule: Self.rule(7), Advice.server)
    case .criticalHeader:
      ErrorExplanation("it requires an unsupported header parameter (\"crit\")", rule: "RFC 7515 §4.1.11", Advice.server)
    case .key(let error): error.explanation
    case .signatureInvalid: ErrorExplanation("its signature is invalid", rule: Self.rule(6), Advice.server)
    case .issuerMismatch: ErrorExplanation("it was issued by a different issuer", rule: Self.rule(2), Advice.server)
    case .tenantNotAllowed:
      ErrorExplanation(
        "its \"tid\" claim is missing, or names a tenant that this app doesn't allow", rule: Self.rule(2), Advice.server)
    case .keyOfAnotherIssuer:
      ErrorExplanation("it was signed with a key that belongs to a different issuer", rule: Self.rule(2), Advice.server)
    case .subjectInvalid: ErrorExplanation("its subject is empty or too long", rule: "OpenID Connect Core §2", Advice.server)
    case .audienceMismatch:
      ErrorExplanation("its audience does not include this client", rule: Self.rule(3), Advice.server)
    case .authorizedPartyMissing:
      ErrorExplanation("it has several audiences but no azp claim", rule: Self.rule(4), Advice.server)
    case .authorizedPartyMismatch: ErrorExplanation("its azp claim names another client", rule: Self.rule(5), Advice.server)
    case .expired: ErrorExplanation("it has expired", rule: Self.rule(9), Advice.clocks)
    case .notYetValid:
      ErrorExplanation("it is not valid yet", rule: "RFC 7519 §4.1.5", Advice.clocks)
    case .issuedInFuture:
      ErrorExplanation("its issue time is in the future", rule: Self.rule(10), Advice.clocks)
    case .clockWrong(let ahead):
      ErrorExplanation(
        "this machine's clock is \(Self.roundedTime(ahead.magnitude)) \(ahead < 0 ? "behind" : "ahead of") the server's clock",
        rule: Self.rule(9), "Set this machine's clock. If the server's clock is wrong, allow a larger clock skew.")
    case .nonceMismatch:
      ErrorExplanation("its nonce does not match the request", rule: Self.rule(11), Advice.server)
    case .accessTokenHashMismatch:
      ErrorExplanation(
        "its at_hash does not match the access token", rule: "OpenID Connect Core §3.1.3.8", Advice.server)
    case .authenticationTimeMissing:
      ErrorExplanation("it has no auth_time claim, which the request requires", rule: Self.rule(13), Advice.server)
    case .authenticatedTooLongAgo:
      ErrorExplanation("the user authenticated too long ago", rule: Self.rule(13), "Sign in with prompt \"login\".")
    case .authenticationContextMismatch:
      ErrorExplanation(
        "its acr claim is not one of the requested values", rule: Self.rule(12),
        "Request other authentication context classes, or don't require them.")
    case .changed:
      ErrorExplanation("its claims differ from those before the refresh", rule: "OpenID Connect Core §12.2", Advice.server)
    }
  }

  /// A rounded-down time such as `150 seconds`, `90 minutes`, or `3 hours`.
  private static func roundedTime(_ seconds: UInt64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
    if minutes < 5 { return "\(seconds) seconds" }
    if hours < 2 { return "\(minutes) minutes" }
    return days < 2 ? "\(hours) hours" : "\(days) days"
  }

  /// The rule with this number in the list of rules for the validation of ID tokens.
  private static func rule(_ number: Int) -> String { "OpenID Connect Core §3.1.3.7 (\(number))" }
}

extension JWKSError {
  /// What happened, which rule was violated, and what to do. In these texts, "it" is the token whose key was looked up.
  public var explanation: ErrorExplanation {
    switch self {
    case .document(let error): error.explanation.prefixed("the server's JWK Set")
    case .unsupportedAlgorithm:
      ErrorExplanation("the token's signature algorithm is not supported", rule: "RFC 7518 §3.1", Advice.server)
    case .unknownKey:
      ErrorExplanation("it was signed with a key that the server does not publish", rule: "RFC 7517 §4.5", Advice.server)
    case .unsuitableKey:
      ErrorExplanation("it was signed with a key of the wrong type or use", rule: "RFC 7517 §4.2", Advice.server)
    case .ambiguousKey:
      ErrorExplanation("several of the server's keys match its header", rule: "OpenID Connect Core §10.1", Advice.server)
    case .invalidKey: ErrorExplanation("the server's JWK Set contains an invalid key", rule: "RFC 7518 §6", Advice.server)
    }
  }
}
