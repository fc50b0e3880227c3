/// The access token of an `Authorization` field, RFC 6750 §2.1 and RFC 9449 §7.1.
package struct AuthorizationToken: Sendable {
  package typealias Scheme = PresentedAccessToken.Scheme

  package let scheme: Scheme
  package let token: Secret<String>

  /// - Returns: nil for another scheme, and where there is not exactly one word behind it.
  package init?(_ field: String) {
    // By bytes: to find the characters of a long token takes longer than all else that is done with it.
    let parts = field.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count >= 2, let token = parts.last, !token.isEmpty, parts[1..<(parts.count - 1)].allSatisfy(\.isEmpty),
      let scheme = Self.scheme(of: field)
    else { return nil }
    self.scheme = scheme
    self.token = Secret(String(Substring(token)))
  }

  /// What the field is about, whatever follows. Schemes have no case, RFC 9110 §11.1.
  package static func scheme(of field: String) -> Scheme? {
    switch Substring(field.utf8.prefix { $0 != UInt8(ascii: " ") }).lowercased() {
    case "bearer": .bearer
    case "dpop": .dpop
    default: nil
    }
  }
}
