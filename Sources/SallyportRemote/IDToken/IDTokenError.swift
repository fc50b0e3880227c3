public import SallyportProtocol

/// Which rule of OpenID Connect Core §3.1.3.7 (or §12.2, for a refreshed one) an ID token breaks. No case carries a claim.
public enum IDTokenError: Error, Equatable, Sendable {
  case malformed(JWSError)
  /// The payload is not the JSON of an ID token, or lacks a claim that is required.
  case claimsMalformed
  /// `none`, an HMAC, or an algorithm that the issuer did not announce.
  case algorithmNotAllowed
  /// The header demands an extension (`crit`) that is not understood here.
  case criticalHeader
  /// There is no key to check the signature with.
  case key(JWKSError)
  case signatureInvalid
  case issuerMismatch
  /// `sub` is empty or longer than 255 characters.
  case subjectInvalid
  /// The client is not among the audiences.
  case audienceMismatch
  /// There are other audiences, and the token does not say that this client is the authorized party.
  case authorizedPartyMissing
  case authorizedPartyMismatch
  case expired
  /// `nbf` lies in the future.
  case notYetValid
  case issuedInFuture
  case nonceMismatch
  case accessTokenHashMismatch
  /// `max_age` was asked for, and the token does not say when the person authenticated.
  case authenticationTimeMissing
  case authenticatedTooLongAgo
  /// None of the classes of authentication (`acr`) that are required.
  case authenticationContextMismatch
  /// A refreshed token differs from the first one in `iss`, `sub`, `aud` or `nonce`.
  case changed(IDTokenChange)
}

/// The claim in which a refreshed ID token differs from the one before, OpenID Connect Core §12.2.
public enum IDTokenChange: Equatable, Sendable {
  case issuer, subject, audience, nonce
}
