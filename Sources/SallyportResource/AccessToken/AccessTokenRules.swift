import SallyportProtocol
import SallyportRemote

/// The checks of RFC 9068 §4, one function each. Times are seconds since 1970.
enum AccessTokenRules {
  /// §4: no other kind of JWT of the same issuer is taken for an access token (RFC 8725 §3.11).
  static func checkType(_ header: JWSHeader) throws(AccessTokenError) {
    guard header.isType("at+jwt") else { throw .typeMismatch }
  }

  /// RFC 7515 §4.1.11.
  static func checkCritical(_ header: JWSHeader) throws(AccessTokenError) {
    guard !header.hasCriticalParameters else { throw .criticalHeader }
  }

  /// §4: asymmetric ones only, and only those that are taken from this issuer (RFC 8725 §3.1).
  static func checkAlgorithm(_ header: JWSHeader, allowed: Set<String>?) throws(AccessTokenError) {
    guard SignatureAlgorithm(rawValue: header.algorithm) != nil, allowed?.contains(header.algorithm) ?? true else {
      throw .algorithmNotAllowed
    }
  }

  /// RFC 7662 §2.2: a server may know other tokens, too; a refresh token of the same app is not for an API.
  static func checkUse(_ answer: IntrospectionAnswer) throws(AccessTokenError) {
    guard answer.tokenUse.map({ $0 == "access_token" }) ?? true else { throw .typeMismatch }
    guard answer.tokenType.map({ ["bearer", "dpop"].contains($0.lowercased()) }) ?? true else { throw .typeMismatch }
  }

  /// §4: this API's identifier is among the audiences, by its text.
  static func checkAudience(_ audience: Audience, _ identifier: String) throws(AccessTokenError) {
    guard audience.values.contains(where: { $0.utf8.elementsEqual(identifier.utf8) }) else { throw .audienceMismatch }
  }

  /// §2.2: who the token is about, who has it, and which one it is.
  static func checkIdentifier(_ text: String) throws(AccessTokenError) {
    guard (1...2048).contains(text.utf8.count) else { throw .identifierInvalid }
  }

  static func scope(_ text: String?) throws(AccessTokenError) -> Scope {
    guard let scope = Scope(text ?? "") else { throw .scopeMalformed }
    return scope
  }

  /// RFC 7519 §4.1.4.
  static func checkExpiration(_ expiration: Double, now: Double, leeway: Double) throws(AccessTokenError) {
    guard now < expiration + leeway else { throw .expired }
  }

  /// RFC 7519 §4.1.5.
  static func checkNotBefore(_ notBefore: Double?, now: Double, leeway: Double) throws(AccessTokenError) {
    guard notBefore.map({ $0 <= now + leeway }) ?? true else { throw .notYetValid }
  }

  static func checkIssuedAt(_ issuedAt: Double, now: Double, leeway: Double) throws(AccessTokenError) {
    guard issuedAt <= now + leeway else { throw .issuedInFuture }
  }
}
