import SallyportProtocol
import SallyportRemote
import Testing

@testable import Sallyport

/// The compiler checks that every case of an error has an explanation. These tests check some of the texts.
struct ExplanationTests {
  private static let errorResponse = OAuthErrorResponse(error: "invalid_scope", description: "no such scope")

  static let explanations: [ErrorExplanation] =
    [
      SignInError.cancelled, .dismissed, .denied(errorResponse), .timedOut, .refused(errorResponse), .unavailable(status: 503),
      .network(.timedOut), .discovery(.issuerMismatch(found: "https://other.example.com")), .noUsableRedirect([]),
      .userAgent(.noBrowser(tried: ["xdg-open"])), .receiver(.dismissed), .redirectURIBelongsTo(issuer: "https://a.example.com"),
      .authorizationURL(.plainHTTP), .maxAgeNegative, .pushedRequest(.malformed), .dpopNotOffered,
      .dpopKey(.damaged), .clientSecret(.keyMalformed), .clientSecret(.notSigned), .clientSecret(.notProvided(reason: "Oops")),
      .formPostRequiresHTTPS, .response(.issuerMismatch), .response(.stateMismatch),
      .deviceAuthorization(.verificationURI(.scheme)),
      .tokenResponse(.idTokenMissing), .idToken(.key(.document(.status(500)))), .idToken(.expired),
      .store(.unavailable(reason: "there is no session bus")), .other(reason: "Oops"),
    ].map(\.explanation)
    + [
      SessionError.signInRequired(.signedOut), .signInRequired(.refused(errorResponse)), .signInRequired(.keyLost),
      .stepUpRequired(StepUp()), .originNotAllowed, .userInfo(.subjectMismatch), .cancelled,
    ].map(\.explanation)
    + [ResourceSignInError.noClientID, .registration(.metadata(.redirectURI(index: 0, .notSingleSlash)))].map(\.explanation)

  @Test("a problem has no final period, advice is a sentence, and a rule, if there is one, is from an RFC or OpenID Connect")
  func sentences() {
    for explanation in Self.explanations {
      // Texts of up to eight characters cannot be explanations.
      #expect(explanation.problem.count > 8 && !explanation.problem.hasSuffix("."), "\(explanation)")
      #expect(explanation.advice.count > 8 && explanation.advice.hasSuffix("."), "\(explanation)")
      let isClause = explanation.rule.map { $0.hasPrefix("RFC ") || $0.hasPrefix("OpenID Connect ") } ?? true
      #expect(isClause, "\(explanation)")
    }
  }

  @Test("the error for an invalid issuer or redirect URI says what to write instead")
  func urls() {
    let issuer = #expect(throws: EndpointURLError.self) { try Issuer("accounts.google.com") }
    #expect(issuer.map { "\($0)" }?.contains("Write the whole URL, for example https://") == true)
    let redirect = #expect(throws: RedirectURIError.self) { try RedirectURI("myapp:/callback") }
    #expect(redirect.map { "\($0)" }?.contains("com.example.app") == true)
  }

  @Test("the errors for a malformed ID token do not mention the signature, and the error for an invalid signature does")
  func signatures() {
    for error in [IDTokenError.malformed(.notThreeParts), .malformed(.notBase64URL), .malformed(.headerMalformed)] {
      #expect(!error.explanation.problem.contains("signature"))
    }
    #expect(IDTokenError.signatureInvalid.explanation.problem.contains("signature"))
  }

  @Test("the description of an error contains the violated rule and the advice")
  func wording() {
    #expect(
      "\(SignInError.response(.issuerMismatch))"
        == "authorization response: \"iss\" names a different issuer (RFC 9207 §2.4). "
        + "No part of the response was used. Report this to the server's operator.")
    #expect("\(SignInError.refused(Self.errorResponse))".contains(#"invalid_scope, "no such scope""#))
  }
}
