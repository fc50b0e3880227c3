import SallyportProtocol

/// Why the token endpoint rejects a request.
///
/// The response contains only the error code and a fixed description (RFC 6749 §5.2), so that it does not reveal which
/// check a stolen code or refresh token failed.
package enum TokenError: ClientEndpointError {
  case request(ClientRequestError)

  // Any grant type
  case grantTypeUnsupported, grantTypeNotAllowed
  /// A public client requests the client credentials grant.
  case publicClientNotAllowed
  case scopeMalformed, scopeExceedsGrant
  case resource(ResourceError)
  /// The request has no DPoP proof, but the client must use DPoP, or the grant is bound to a DPoP key.
  case proofMissing
  /// The grant is bound to a different DPoP key.
  case boundToAnotherKey
  /// The grant was revoked or has expired, the account was disabled or removed, or its password was changed.
  case grantEnded, accountEnded, passwordChanged
  /// The user was not authenticated at the level that operators now require for the client and the scope.
  case authenticationTooWeak

  // Authorization codes. A code is exhausted after too many failed redemptions.
  case codeUnknown, codeOfAnotherClient, codeExpired, codeExhausted, codeReplayed, redirectMismatch
  case verifierMissing, verifierMalformed, verifierMismatch, verifierWithoutChallenge

  // Refresh tokens
  case refreshTokenUnknown, refreshTokenOfAnotherClient, refreshTokenExpired, refreshTokenReused

  // Device codes
  case deviceCodeUnknown, deviceCodeOfAnotherClient, deviceCodeExpired, deviceCodeUsed
  case deviceUndecided, deviceDenied, polledTooSoon

  // The server
  /// There is no signing key, or the keys cannot be decrypted.
  case keys(KeyRingError)
  case signing
  /// The successor of a refresh token could not be sealed or opened.
  case sealing

  package var response: ErrorResponse {
    switch self {
    case .request(let error): error.response
    case .grantTypeUnsupported: ErrorResponse(.unsupportedGrantType)
    case .grantTypeNotAllowed, .publicClientNotAllowed: ErrorResponse(.unauthorizedClient)
    case .scopeMalformed, .scopeExceedsGrant: ErrorResponse(.invalidScope)
    case .resource: ErrorResponse(.invalidTarget)
    case .proofMissing: ErrorResponse(.invalidDPoPProof)
    case .verifierMalformed: ErrorResponse(.invalidRequest, description: Self.verifierRule)
    case .deviceCodeExpired: ErrorResponse(.expiredToken)
    case .deviceUndecided: ErrorResponse(.authorizationPending)
    case .deviceDenied: ErrorResponse(.accessDenied)
    case .polledTooSoon: ErrorResponse(.slowDown)
    case .keys, .signing, .sealing: ErrorResponse(.serverError)
    case .boundToAnotherKey, .grantEnded, .accountEnded, .passwordChanged, .authenticationTooWeak, .codeUnknown,
      .codeOfAnotherClient, .codeExpired, .codeExhausted, .codeReplayed, .redirectMismatch, .verifierMissing, .verifierMismatch,
      .verifierWithoutChallenge,
      .refreshTokenUnknown, .refreshTokenOfAnotherClient, .refreshTokenExpired, .refreshTokenReused, .deviceCodeUnknown,
      .deviceCodeOfAnotherClient, .deviceCodeUsed:
      ErrorResponse(.invalidGrant)
    }
  }

  package var reason: String {
    if case .request(let error) = self { error.reason } else { "\(self)" }
  }

  /// The description of a malformed verifier may be precise, because it reveals nothing about a credential.
  private static let verifierRule =
    "The code_verifier must have 43 to 128 characters: letters, digits, and - . _ ~ (RFC 7636 section 4.1)."
}
