public import SallyportProtocol
public import SallyportRemote

/// Which rule of RFC 9068 §4 or RFC 7662 §2.2 an access token breaks. No case carries a claim.
public enum AccessTokenError: Error, Equatable, Sendable {
  /// Not a JWT, and opaque tokens are not taken here.
  case malformed(JWSError)
  /// `typ` is not `at+jwt`, or the issuer calls it another kind of token: an ID token or a refresh token, for instance.
  case typeMismatch
  /// The header demands an extension (`crit`) that is not understood here.
  case criticalHeader
  /// The payload is not the JSON of an access token, or lacks a claim that is required.
  case claimsMalformed
  /// An issuer that this API does not trust.
  case issuerNotTrusted
  /// `none`, an HMAC, or an algorithm that is not taken from this issuer.
  case algorithmNotAllowed
  /// There is no key of the issuer's to check the signature with.
  case key(JWKSError)
  case signatureInvalid
  /// The token is for another API.
  case audienceMismatch
  /// `sub`, `client_id` or `jti` is empty or too long.
  case identifierInvalid
  /// `scope` is no list of scopes.
  case scopeMalformed
  case expired
  /// `nbf` lies in the future.
  case notYetValid
  case issuedInFuture
  /// The issuer says that the token is not good, or not any more.
  case inactive
  /// The issuer could not be asked, so nobody knows. Not the caller's fault.
  case issuerUnreachable(IssuerTrouble)
}

/// Why an issuer could not be asked.
public enum IssuerTrouble: Error, Equatable, Sendable {
  case metadata(DiscoveryError)
  case keys(JSONDocumentError)
  case introspection(JSONDocumentError)
  /// The issuer names no key set or no introspection endpoint.
  case endpointMissing
  /// As many questions as may be are under way already.
  case busy
}
