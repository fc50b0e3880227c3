/// The access token of an `Authorization` field, RFC 6750 §2.1 and RFC 9449 §7.1.
package struct AuthorizationToken: Sendable {
  package typealias Scheme = PresentedAccessToken.Scheme

  package let scheme: Scheme
  package let token: Secret<String>

  /// - Returns: nil for another scheme, and where there is not exactly one word behind it.
  package init?(_ field: String) {
    guard let scheme = Self.scheme(of: field) else { return nil }
    let space = UInt8(ascii: " ")
    var field = field
    // Where it lies: to go through a long token as a string's characters takes longer than all else that is done with it.
    let token: String? = field.withUTF8 { bytes in
      let token = bytes.drop { $0 != space }.drop { $0 == space }
      return token.isEmpty || token.contains(space) ? nil : String(decoding: token, as: UTF8.self)
    }
    guard let token else { return nil }
    self.scheme = scheme
    self.token = Secret(token)
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
