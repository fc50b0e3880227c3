public import SallyportProtocol
public import SallyportRemote

/// Why an access token is invalid (RFC 9068 §4, RFC 7662 §2.2). No case contains the value of a claim other than the
/// name of a trusted issuer, so an error can be logged.
public enum AccessTokenError: Error, Equatable, Sendable {
  /// The token is not a JWT, and opaque tokens are not accepted.
  case malformed(JWSError)
  /// `typ` is not `at+jwt`, or the issuer reports that the token is not an access token, for example a refresh token.
  case typeMismatch
  /// The header requires an unsupported extension (`crit`).
  case criticalHeader
  /// The payload is not the JSON of an access token, or a required claim is missing.
  case claimsMalformed
  /// The API doesn't trust the issuer.
  case issuerNotTrusted
  /// The algorithm is `none`, an HMAC, not supported, or not allowed for this issuer.
  case algorithmNotAllowed
  /// The issuer has no suitable key to verify the signature with.
  case key(JWKSError)
  case signatureInvalid
  /// The token was issued for a different API.
  case audienceMismatch
  /// `sub`, `client_id`, or `jti` is empty or too long.
  case identifierInvalid
  /// `scope` is not a valid list of scopes.
  case scopeMalformed
  case expired
  /// `nbf` is in the future.
  case notYetValid
  case issuedInFuture
  /// The issuer reports that the token is not active.
  case inactive
  /// The issuer could not be queried, so the token cannot be verified. This is not the client's fault.
  case issuerUnreachable(Issuer, IssuerError)
}

/// Why an issuer could not be queried.
public enum IssuerError: Error, Equatable, Sendable {
  case metadata(DiscoveryError)
  case keys(JSONDocumentError)
  case introspection(JSONDocumentError)
  /// The issuer's metadata names no key set, or no introspection endpoint.
  case endpointMissing
  /// The maximum number of introspection requests is already in progress.
  case busy
}
