import Testing

@testable import Sallyport

/// The compiler sees that every case has an explanation; this, that each is one.
struct ExplanationTests {
  private static let refusal = ServerRefusal(error: "invalid_scope", description: "no such scope")

  static let explanations: [Explanation] =
    [
      SignInError.cancelled, .dismissed, .denied(refusal), .timedOut, .refused(refusal), .unavailable(status: 503),
      .network(.timedOut), .discovery(.issuerMismatch(found: "https://other.example.com")), .noUsableRedirect([]),
      .userAgent(.noBrowser(tried: ["xdg-open"])), .receiver(.dismissed), .redirectURIBelongsTo(issuer: "https://a.example.com"),
      .authorizationURL(.plainHTTP), .optionsInvalid(.maxAgeNegative), .pushedRequest(.malformed), .dpopNotOffered,
      .dpopKey(.damaged), .response(.issuerMismatch), .response(.stateMismatch), .deviceAuthorization(.verificationURI(.scheme)),
      .tokenResponse(.idTokenMissing), .idToken(.key(.document(.status(500)))), .idToken(.expired),
      .store(.unavailable(reason: "there is no session bus")), .other(reason: "Oops"),
    ].map(\.explanation)
    + [
      SessionError.signInRequired(.signedOut), .signInRequired(.refused(refusal)), .signInRequired(.keyLost),
      .stepUpRequired(StepUp()), .request(.originNotAllowed), .userInfo(.subjectMismatch), .cancelled,
    ].map(\.explanation)
    + [ResourceSignInError.noClientID, .registration(.metadata(.redirectURI(index: 0, .notSingleSlash)))].map(\.explanation)

  @Test("Every error says in one sentence each what happened and what to do, and names the clause of the rule that was broken")
  func sentences() {
    for explanation in Self.explanations {
      #expect(explanation.problem.count > 8 && !explanation.problem.hasSuffix("."), "\(explanation)")
      #expect(explanation.advice.count > 8 && explanation.advice.hasSuffix("."), "\(explanation)")
      let isClause = explanation.rule.map { $0.hasPrefix("RFC ") || $0.hasPrefix("OpenID Connect ") } ?? true
      #expect(isClause, "\(explanation)")
    }
  }

  @Test("An error that breaks a rule reads with its clause and the next step")
  func wording() {
    #expect(
      "\(SignInError.response(.issuerMismatch))"
        == "the authorization response: it is of another issuer (RFC 9207 §2.4). "
        + "Nothing of it was used; report it to those who run the server.")
    #expect("\(SignInError.refused(Self.refusal))".contains(#"invalid_scope, "no such scope""#))
  }
}
