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

  package enum Reason: Equatable, Sendable {
    case methodNotPost, parametersInURL, notAForm, malformedForm, repeatedParameter(String), missingParameter(String)
    case clientMissing, clientUnknown, authorizationMalformed, severalAuthenticationMethods, secretMissing, secretWrong
    case grantTypeUnsupported
    case codeUnknown, codeOfAnotherClient, codeExpired, codeExhausted, codeReplayed, redirectMismatch
    case verifierMissing, verifierMalformed, verifierMismatch, verifierWithoutChallenge
    case grantEnded, accountEnded
    case refreshTokenUnknown, refreshTokenOfAnotherClient, refreshTokenExpired, refreshTokenReused
    case scopeMalformed, scopeExceedsGrant
    case signing, storage(StoreError)
  }

  /// The fixed public text of each code.
  package var description: String {
    switch self.code {
    case .invalidRequest: "The request lacks a parameter, repeats one or has a malformed one."
    case .invalidClient: "The client is unknown or did not authenticate as it is registered."
    case .invalidGrant: "The code or refresh token is invalid, expired, revoked, or was issued for another request."
    case .invalidScope: "The scope is malformed or exceeds what was granted."
    case .unauthorizedClient: "The client may not use this grant type."
    case .unsupportedGrantType: "The server does not support this grant type."
    default: "The server could not answer. Try again later."
    }
  }
}
