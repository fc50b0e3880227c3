/// The access token of an `Authorization` field (RFC 6750 §2.1, RFC 9449 §7.1).
package struct AuthorizationToken: Sendable {
  package typealias Scheme = PresentedAccessToken.Scheme

  package let scheme: Scheme
  package let token: Secret<String>

  /// - Returns: `nil` for a scheme other than `Bearer` and `DPoP`, or if the scheme is not followed by exactly one
  ///   word.
  package init?(_ field: String) {
    guard let scheme = Self.scheme(of: field) else { return nil }
    let space = UInt8(ascii: " ")
    var field = field
    // Work on bytes, because iterating over the characters of a long token is slow.
    let token: String? = field.withUTF8 { bytes in
      let token = bytes.drop { $0 != space }.drop { $0 == space }
      let containsSpace = UnsafeBufferPointer(rebasing: token).position(of: space) != nil
      return token.isEmpty || containsSpace ? nil : String(decoding: token, as: UTF8.self)
    }
    guard let token else { return nil }
    self.scheme = scheme
    self.token = Secret(token)
  }

  /// The scheme of the field, regardless of what follows it. Case does not matter (RFC 9110 §11.1).
  package static func scheme(of field: String) -> Scheme? {
    switch Substring(field.utf8.prefix { $0 != UInt8(ascii: " ") }).lowercased() {
    case "bearer": .bearer
    case "dpop": .dpop
    default: nil
    }
  }
}
