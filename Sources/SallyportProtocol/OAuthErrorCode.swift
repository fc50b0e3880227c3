/// The value of an `error` parameter (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1, RFC 8707 §2, RFC 9449 §12.2, RFC 9470
/// §3, OpenID Connect Core §3.1.2.6).
public enum OAuthErrorCode: Hashable, Sendable, CustomStringConvertible {
  case invalidRequest, invalidClient, invalidGrant, invalidScope, invalidToken, insufficientScope
  case unauthorizedClient, unsupportedGrantType, unsupportedResponseType
  case accessDenied, serverError, temporarilyUnavailable
  case loginRequired, consentRequired, interactionRequired, accountSelectionRequired
  case invalidTarget, invalidDPoPProof, useDPoPNonce, insufficientUserAuthentication
  case requestNotSupported, requestURINotSupported, registrationNotSupported
  /// RFC 8628 §3.5.
  case authorizationPending, slowDown, expiredToken
  /// OpenID Connect Core §3.1.2.6.
  case invalidRequestObject, invalidRequestURI
  /// OpenID Connect Core Error Code unmet_authentication_requirements 1.0.
  case unmetAuthenticationRequirements
  /// RFC 7591 §3.2.2.
  case invalidRedirectURI, invalidClientMetadata
  /// Any other error code.
  case other(String)

  private static let names: [(code: OAuthErrorCode, text: String)] = [
    (.invalidRequest, "invalid_request"), (.invalidClient, "invalid_client"), (.invalidGrant, "invalid_grant"),
    (.invalidScope, "invalid_scope"), (.invalidToken, "invalid_token"), (.insufficientScope, "insufficient_scope"),
    (.unauthorizedClient, "unauthorized_client"), (.unsupportedGrantType, "unsupported_grant_type"),
    (.unsupportedResponseType, "unsupported_response_type"), (.accessDenied, "access_denied"),
    (.serverError, "server_error"), (.temporarilyUnavailable, "temporarily_unavailable"),
    (.loginRequired, "login_required"), (.consentRequired, "consent_required"),
    (.interactionRequired, "interaction_required"), (.accountSelectionRequired, "account_selection_required"),
    (.invalidTarget, "invalid_target"), (.invalidDPoPProof, "invalid_dpop_proof"), (.useDPoPNonce, "use_dpop_nonce"),
    (.insufficientUserAuthentication, "insufficient_user_authentication"),
    (.requestNotSupported, "request_not_supported"), (.requestURINotSupported, "request_uri_not_supported"),
    (.registrationNotSupported, "registration_not_supported"),
    (.authorizationPending, "authorization_pending"), (.slowDown, "slow_down"), (.expiredToken, "expired_token"),
    (.invalidRequestObject, "invalid_request_object"), (.invalidRequestURI, "invalid_request_uri"),
    (.unmetAuthenticationRequirements, "unmet_authentication_requirements"),
    (.invalidRedirectURI, "invalid_redirect_uri"), (.invalidClientMetadata, "invalid_client_metadata"),
  ]

  /// Creates a code from its text. An unknown text becomes ``other(_:)``.
  public init(_ text: String) {
    self = Self.names.first { $0.text == text }?.code ?? .other(text)
  }

  /// The value as it is sent.
  public var description: String {
    if case .other(let text) = self { return text }
    // `names` contains every other case, so the default value is never used.
    return Self.names.first { $0.code == self }?.text ?? "server_error"
  }
}
