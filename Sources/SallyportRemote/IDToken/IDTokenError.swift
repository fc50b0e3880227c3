public import SallyportProtocol

/// Why an ID token is invalid (OpenID Connect Core §3.1.3.7, and §12.2 for a refreshed token). No case contains the
/// value of a claim.
public enum IDTokenError: Error, Equatable, Sendable {
  case malformed(JWSError)
  /// The payload is not the JSON of an ID token, or a required claim is missing.
  case claimsMalformed
  /// The algorithm is `none`, an HMAC, not supported, or one that the issuer didn't announce.
  case algorithmNotAllowed
  /// The header requires an unsupported extension (`crit`).
  case criticalHeader
  /// There is no key to verify the signature with.
  case key(JWKSError)
  case signatureInvalid
  case issuerMismatch
  /// The claim `tid`, which names the user's tenant at Microsoft, is missing, has invalid syntax, or names a tenant
  /// whose users may not sign in.
  case tenantNotAllowed
  /// The key that signed the token is for tokens of another issuer, or doesn't name its issuer. This is checked only
  /// for a server with tenants, such as Microsoft Entra.
  case keyOfAnotherIssuer
  /// `sub` is empty or longer than 255 bytes.
  case subjectInvalid
  /// The client is not among the audiences.
  case audienceMismatch
  /// The token has several audiences, but no `azp` claim.
  case authorizedPartyMissing
  case authorizedPartyMismatch
  case expired
  /// `nbf` is in the future.
  case notYetValid
  case issuedInFuture
  /// The token is not valid at this machine's time, but was valid at the server's time when the server sent it. The
  /// clocks differ by more than the client tolerates.
  /// - Parameter ahead: By how many seconds this machine's clock is ahead of the server's. Negative if it is behind.
  case clockWrong(ahead: Int64)
  case nonceMismatch
  case accessTokenHashMismatch
  /// `max_age` was requested, but the token has no `auth_time` claim.
  case authenticationTimeMissing
  case authenticatedTooLongAgo
  /// The `acr` claim is not one of the required values.
  case authenticationContextMismatch
  /// A refreshed token differs from the previous one in `iss`, `sub`, `aud`, or `nonce`.
  case changed(IDTokenChange)
}

/// The claim in which a refreshed ID token differs from the previous one (OpenID Connect Core §12.2).
public enum IDTokenChange: Equatable, Sendable {
  case issuer, subject, audience, nonce
}
