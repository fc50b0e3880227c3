import SallyportProtocol

/// A token whose signature has been verified, kept because clients send the same token many times.
struct CachedAccessToken: Sendable {
  /// The times that limit the token's validity, in seconds since 1970.
  struct Validity: Sendable {
    var expiration: Double?
    var notBefore: Double?
    var issuedAt: Double?
  }

  let token: VerifiedAccessToken
  let issuer: IssuerAccess
  let validity: Validity
  /// The identifier and the algorithm of the key that verified the signature.
  let key: (id: String?, algorithm: String)
  /// When the signature was verified.
  let checkedAt: Timestamp
}
