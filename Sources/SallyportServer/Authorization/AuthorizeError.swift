package import SallyportProtocol

/// An error of the authorization endpoint.
///
/// Until the client and the redirect URI are verified, the error is a `.page` and the user agent is not redirected (RFC
/// 6749 §4.1.2.1). The `.redirect` case requires a ``VerifiedRedirect``, which is created only for a registered URI.
/// The server therefore cannot be used as an open redirector.
package enum AuthorizeError: Error, Sendable {
  case page(PageReason)
  case redirect(VerifiedRedirect, OAuthErrorCode, RedirectReason)

  /// Why the user sees an error page.
  package enum PageReason: Equatable, Sendable {
    case malformedRequest
    case repeatedParameter(String)
    case clientMissing
    case clientUnknown
    case redirectURIMissing
    case redirectURIInvalid(RedirectURIError)
    case redirectURINotRegistered
    /// The request is invalid or cannot be satisfied, and no operator registered the redirect URI, so the server does
    /// not redirect to it without user interaction (RFC 9700 §4.11.2).
    case unverifiedRedirect(OAuthErrorCode)
    /// RFC 9126 §4: the `request_uri` is unknown, has expired, or belongs to another client, or the user has already
    /// decided on its request.
    case pushedRequestInvalid
    case requestObjectInvalid(RequestObjectError)
    /// The URL contains no valid interaction (an authorization request on its way through sign-in and consent), or the
    /// browser's session has ended or does not satisfy the request.
    case interactionInvalid
    case interactionExpired
    /// The user has already denied the request, or a code was issued for it.
    case interactionDone
    /// The signing keys, which are needed to verify an `id_token_hint`, cannot be used.
    case keys(KeyRingError)
    case storage(StoreError)

    init(_ error: KeyRingError) {
      if case .storage(let error) = error { self = .storage(error) } else { self = .keys(error) }
    }

    /// The reason as it appears in logs, without values of the request.
    package var label: String {
      if case .repeatedParameter = self { "repeatedParameter" } else { "\(self)" }
    }
  }

  /// Why the client receives an error response at its verified redirect URI.
  package enum RedirectReason: String, Sendable {
    case repeatedParameter, responseTypeMissing, responseTypeNotCode, grantTypeNotAllowed, responseModeNotSupported
    case challengeMissing, challengeMalformed, challengeMethod
    case scopeMalformed, scopeNotAllowed
    case promptMalformed, createNotOffered, maxAgeMalformed
    case requestObjectNotSupported, requestObjectInvalid, requestURINotSupported, requestURIInvalid, requestAndRequestURI
    case pushedRequired, signatureRequired
    case resourceInvalid, jktMalformed, claimsMalformed, acrNotOffered, levelNotOffered, hintInvalid, otherUser
    case signInNeeded, strongerSignInNeeded, accountSelectionNeeded, consentNeeded
    case requestTooLarge
    case deniedByUser
    case storage

    /// The `error_description`, which contains no values of the request.
    package var description: String {
      switch self {
      case .repeatedParameter: "A parameter is repeated."
      case .responseTypeMissing: "The response_type parameter is missing."
      case .responseTypeNotCode: "The response_type must be 'code'."
      case .grantTypeNotAllowed: "The client is not registered for the authorization code grant."
      case .responseModeNotSupported: "The response_mode is not supported for this redirect URI."
      case .challengeMissing: "The code_challenge parameter is missing."
      case .challengeMalformed: "The code_challenge must be the base64url encoding of 32 bytes."
      case .challengeMethod: "The code_challenge_method must be S256."
      case .scopeMalformed: "The scope is malformed."
      case .scopeNotAllowed: "The client is not allowed to request any of these scope values."
      case .promptMalformed: "The prompt parameter must not combine 'none' or 'create' with another value."
      case .createNotOffered: "The prompt value 'create' is not supported by this server."
      case .maxAgeMalformed: "The max_age parameter must be a number of seconds."
      case .requestObjectNotSupported: "Request objects require a client with registered keys."
      case .requestObjectInvalid: "The request object is invalid."
      case .requestURIInvalid: "The request_uri is not registered for this client, or the request object could not be fetched."
      case .requestAndRequestURI: "The request and request_uri parameters must not be used together."
      case .signatureRequired: "This client must sign its authorization requests."
      case .pushedRequired: "This client must push its authorization requests."
      case .resourceInvalid: "The resource parameter is malformed or names an unknown resource."
      case .jktMalformed: "The dpop_jkt parameter must be a SHA-256 JWK thumbprint."
      case .claimsMalformed: "The claims parameter is malformed."
      case .acrNotOffered: "The server does not support any of the requested acr values."
      case .levelNotOffered: "The server cannot authenticate users at the level that this request requires."
      case .hintInvalid: "The id_token_hint must be an ID token that this server issued."
      case .otherUser: "The signed-in user is not the requested user."
      case .requestURINotSupported: "The client has registered no request_uris, or the server does not fetch them."
      case .signInNeeded: "The user must sign in."
      case .strongerSignInNeeded: "The user must sign in with a stronger method."
      case .accountSelectionNeeded: "The user must choose an account."
      case .consentNeeded: "The user must give consent."
      case .requestTooLarge: "The parameters of the request are too long."
      case .deniedByUser: "The user denied the request."
      case .storage: "The server is temporarily unavailable. Try again later."
      }
    }
  }
}
