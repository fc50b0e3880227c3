import SallyportProtocol
import SallyportRemote

/// The checks of an access token, one function each. A section number without an RFC refers to RFC 9068. Times are in
/// seconds since 1970, and durations in seconds.
enum AccessTokenRules {
  /// §4: the type must be `at+jwt`, so that the issuer's ID tokens and logout tokens are not accepted as access tokens
  /// (RFC 8725 §3.11).
  static func checkType(_ header: JWSHeader) throws(AccessTokenError) {
    guard header.isType("at+jwt") else { throw .typeMismatch }
  }

  /// RFC 7515 §4.1.11: critical header parameters are not supported.
  static func checkCritical(_ header: JWSHeader) throws(AccessTokenError) {
    guard !header.hasCriticalParameters else { throw .criticalHeader }
  }

  /// §4: the algorithm must be asymmetric and allowed for this issuer (RFC 8725 §3.1).
  static func checkAlgorithm(_ header: JWSHeader, allowed: Set<String>?) throws(AccessTokenError) {
    guard SignatureAlgorithm(rawValue: header.algorithm) != nil, allowed?.contains(header.algorithm) ?? true else {
      throw .algorithmNotAllowed
    }
  }

  /// RFC 7662 §2.2: the server may report tokens other than access tokens as active, such as refresh tokens. An API
  /// must not accept them.
  static func checkUse(_ response: IntrospectionResponse) throws(AccessTokenError) {
    guard response.tokenUse.map({ $0 == "access_token" }) ?? true else { throw .typeMismatch }
    guard response.tokenType.map({ ["bearer", "dpop"].contains($0.lowercased()) }) ?? true else { throw .typeMismatch }
  }

  /// §4: the audiences must include this API's identifier, compared byte for byte, except that a URL without a path
  /// and the same URL with the path `/` are equivalent (RFC 3986 §6.2.3).
  static func checkAudience(_ audience: Audience, _ identifier: String) throws(AccessTokenError) {
    guard audience.values.contains(where: { ResourceIndicator.areEquivalent($0, identifier) }) else { throw .audienceMismatch }
  }

  /// §2.2: the subject, client, and token identifiers are required, so they must not be empty. The maximum length of
  /// 2,048 bytes is a limit of this library.
  static func checkIdentifier(_ text: String) throws(AccessTokenError) {
    guard (1...2048).contains(text.utf8.count) else { throw .identifierInvalid }
  }

  /// §2.2.3: the scope must have the syntax of RFC 6749 §3.3. A token without `scope` has no scope values.
  static func scope(_ text: String?) throws(AccessTokenError) -> Scope {
    guard let scope = Scope(text ?? "") else { throw .scopeMalformed }
    return scope
  }

  /// RFC 7519 §4.1.4: the token must not have expired.
  static func checkExpiration(_ expiration: Double, now: Double, leeway: Double) throws(AccessTokenError) {
    guard now < expiration + leeway else { throw .expired }
  }

  /// RFC 7519 §4.1.5: the token must already be valid.
  static func checkNotBefore(_ notBefore: Double?, now: Double, leeway: Double) throws(AccessTokenError) {
    guard notBefore.map({ $0 <= now + leeway }) ?? true else { throw .notYetValid }
  }

  /// RFC 7519 §4.1.6: the token must not have been issued in the future.
  static func checkIssuedAt(_ issuedAt: Double, now: Double, leeway: Double) throws(AccessTokenError) {
    guard issuedAt <= now + leeway else { throw .issuedInFuture }
  }
}
