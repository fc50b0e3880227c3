package import SallyportProtocol

/// An error of the token endpoint, and of the other endpoints for clients.
///
/// The response contains `code` with a fixed description (RFC 6749 §5.2). The `reason` is only for logs and tests, so
/// that a response does not reveal which check a stolen credential failed.
package struct TokenError: Error, Equatable, Sendable {
  package let code: OAuthErrorCode
  package let reason: Reason

  package init(_ code: OAuthErrorCode, _ reason: Reason) {
    self.code = code
    self.reason = reason
  }

  package init(storage error: StoreError) {
    self.init(.serverError, .storage(error))
  }

  init(_ refusal: DPoPVerifier.Refusal) {
    switch refusal {
    case .proof(let error): self.init(refusal.code, .proof(error))
    case .replayed: self.init(refusal.code, .proofReplayed)
    case .storage(let error): self.init(storage: error)
    }
  }

  package enum Reason: Equatable, Sendable {
    case methodNotPost, parametersInURL, notAForm, malformedForm, repeatedParameter(String), missingParameter(String)
    case clientMissing, clientUnknown, authorizationMalformed, severalAuthenticationMethods, secretMissing, secretWrong
    case authenticationMethod, assertion(ClientAssertionError), clientPublic
    case grantTypeUnsupported, grantTypeNotAllowed
    case proof(DPoPProofError), proofReplayed, proofMissing, boundToAnotherKey
    case resource(ResourceError)
    case deviceCodeUnknown, deviceCodeOfAnotherClient, deviceCodeExpired, deviceCodeUsed, deviceUndecided, deviceDenied
    case polledTooSoon
    case quotaExceeded
    case pushed(AuthorizeError.RedirectReason), pushedPage(AuthorizeError.PageReason), requestURIPushed
    case codeUnknown, codeOfAnotherClient, codeExpired, codeExhausted, codeReplayed, redirectMismatch
    case verifierMissing, verifierMalformed, verifierMismatch, verifierWithoutChallenge
    case grantEnded, accountEnded, passwordChanged
    case refreshTokenUnknown, refreshTokenOfAnotherClient, refreshTokenExpired, refreshTokenReused
    case scopeMalformed, scopeExceedsGrant
    case signing, storage(StoreError)
  }

  /// The `error_description`. It depends only on the code, except for a malformed verifier, which reveals nothing about
  /// a credential.
  package var description: String {
    if self.reason == .verifierMalformed {
      return "The code_verifier must have 43 to 128 characters: letters, digits, and - . _ ~ (RFC 7636 section 4.1)."
    }
    return switch self.code {
    case .invalidRequest: "A request parameter is missing, repeated, or malformed."
    case .invalidClient: "The client is unknown, or its credentials are missing, invalid, or not of the registered method."
    case .invalidGrant: "The code or refresh token is invalid, expired, revoked, or does not match this request."
    case .invalidScope: "The scope is malformed or exceeds what was granted."
    case .unauthorizedClient: "The client is not allowed to use this grant type."
    case .invalidTarget: "The resource parameter is malformed, or names a resource that is unknown or was not granted."
    case .invalidDPoPProof: "The DPoP proof is missing or invalid for this request."
    case .useDPoPNonce: "The DPoP proof must contain the nonce from the DPoP-Nonce header."
    case .authorizationPending: "The user has not decided yet."
    case .slowDown: "The client polls too often. Increase the interval by 5 seconds."
    case .accessDenied: "The user denied the request."
    case .expiredToken: "The device code has expired."
    case .temporarilyUnavailable: "Too many requests for this client. Try again later."
    case .invalidRequestObject: "The request object is invalid."
    case .unsupportedResponseType: "The response_type must be code."
    case .unsupportedGrantType: "The server does not support this grant type."
    default: "The server cannot process the request. Try again later."
    }
  }
}
