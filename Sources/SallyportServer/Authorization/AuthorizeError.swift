package import SallyportProtocol

/// A refusal of the authorization endpoint.
///
/// Until the client and the redirect URI are verified there is only `.page`: nobody is sent anywhere (RFC 6749 §4.1.2.1). The
/// other case needs a ``VerifiedRedirect``, which only the check of a registered URI makes, so an open redirector cannot be
/// written.
package enum AuthorizeError: Error, Sendable {
  case page(PageReason)
  case redirect(VerifiedRedirect, OAuthErrorCode, RedirectReason)

  /// Why the person gets an error page.
  package enum PageReason: Equatable, Sendable {
    case malformedRequest
    case repeatedParameter(String)
    case clientMissing
    case clientUnknown
    case redirectURIMissing
    case redirectURIInvalid(RedirectURIError)
    case redirectURINotRegistered
    /// The request is wrong, and nobody vouched for the URI to which the error would go (RFC 9700 §4.11.2).
    case unvouchedRedirect(OAuthErrorCode)
    /// RFC 9126 §4: unknown, expired, used, or another client's.
    case pushedRequestInvalid
    case requestObjectInvalid(RequestObjectError)
    /// A pushed request names another key than its proof has.
    case keyMismatch
    case interactionInvalid
    case interactionExpired
    case interactionDone
    case storage(StoreError)
  }

  /// What is wrong with a request whose redirect URI is right.
  package enum RedirectReason: String, Sendable {
    case repeatedParameter, responseTypeMissing, responseTypeNotCode, responseModeNotSupported
    case challengeMissing, challengeMalformed, challengeMethod
    case scopeMalformed, scopeNotAllowed
    case promptMalformed, maxAgeMalformed
    case requestObject, requestObjectInvalid, requestURI, requestURIInvalid, pushedRequired, signatureRequired, requestTwice
    case resourceInvalid, boundKeyMalformed, claimsMalformed, contextNotOffered, hintInvalid, otherPerson
    case signInNeeded, consentNeeded
    case deniedByPerson
    case storage

    /// The fixed public text.
    package var description: String {
      switch self {
      case .repeatedParameter: "A parameter is repeated."
      case .responseTypeMissing: "The parameter response_type is missing."
      case .responseTypeNotCode: "Only response_type=code is offered."
      case .responseModeNotSupported: "This response_mode is not offered for this redirect URI."
      case .challengeMissing: "A code challenge is required."
      case .challengeMalformed: "The code challenge is not 43 characters of base64url."
      case .challengeMethod: "The code challenge method must be S256."
      case .scopeMalformed: "The scope is malformed."
      case .scopeNotAllowed: "The client may not ask for any of these scopes."
      case .promptMalformed: "The parameter prompt is malformed."
      case .maxAgeMalformed: "The parameter max_age is not a number of seconds."
      case .requestObject: "Request objects are not supported for a client without registered keys."
      case .requestObjectInvalid: "The request object is not valid."
      case .requestURIInvalid: "The request_uri is not one that the client has registered, or there is nothing."
      case .requestTwice: "The parameters request and request_uri exclude each other."
      case .signatureRequired: "This client has to sign its requests."
      case .pushedRequired: "This client has to push its requests."
      case .resourceInvalid: "The resource is malformed or unknown."
      case .boundKeyMalformed: "The parameter dpop_jkt is no thumbprint."
      case .claimsMalformed: "The parameter claims is malformed."
      case .contextNotOffered: "This server cannot authenticate the person in any of the ways that acr asks for."
      case .hintInvalid: "The id_token_hint is not an ID token of this server."
      case .otherPerson: "Another person is signed in than the one asked for."
      case .requestURI: "The parameter request_uri is not supported."
      case .signInNeeded: "The person is not signed in."
      case .consentNeeded: "The person has to agree first."
      case .deniedByPerson: "The person did not agree."
      case .storage: "The server could not answer. Try again later."
      }
    }
  }
}
