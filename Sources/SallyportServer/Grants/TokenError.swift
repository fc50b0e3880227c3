package import SallyportProtocol

/// A refusal of the token endpoint.
///
/// `code` goes over the wire with one fixed description (RFC 6749 §5.2); `reason` is for logs and tests and never leaves the
/// server, so that nobody learns from an answer which check a stolen credential failed.
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

  /// The fixed public text of each code. What is malformed is named; that tells nothing about a credential.
  package var description: String {
    if self.reason == .verifierMalformed {
      return "The code_verifier must have 43 to 128 characters: letters, digits, and - . _ ~ (RFC 7636 §4.1)."
    }
    return switch self.code {
    case .invalidRequest: "The request lacks a parameter, repeats one or has a malformed one."
    case .invalidClient: "The client is unknown or did not authenticate as it is registered."
    case .invalidGrant: "The code or refresh token is invalid, expired, revoked, or was issued for another request."
    case .invalidScope: "The scope is malformed or exceeds what was granted."
    case .unauthorizedClient: "The client may not use this grant type."
    case .invalidTarget: "The resource is malformed, unknown, or was not granted."
    case .invalidDPoPProof: "A DPoP proof is needed, and the one given is not valid for this request."
    case .useDPoPNonce: "The DPoP proof must carry the nonce of the DPoP-Nonce header."
    case .authorizationPending: "The person has not decided yet."
    case .slowDown: "Poll less often: five seconds more than before."
    case .accessDenied: "The person did not agree."
    case .expiredToken: "The device code has expired."
    case .temporarilyUnavailable: "Too many requests of this client. Try again later."
    case .invalidRequestObject: "The request object is not valid."
    case .unsupportedResponseType: "Only response_type=code is offered."
    case .unsupportedGrantType: "The server does not support this grant type."
    default: "The server could not answer. Try again later."
    }
  }
}
