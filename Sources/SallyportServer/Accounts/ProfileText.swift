/// The rules for the name and the email address of an account.
enum ProfileText {
  /// The maximum number of bytes of a name.
  private static var maximumName: Int { 256 }
  /// The maximum number of bytes of an email address (RFC 5321 §4.5.3.1.3, without the angle brackets).
  private static var maximumEmail: Int { 254 }

  /// Returns a name without surrounding white space; nil if it is empty.
  /// - Throws: ``AccountError/invalidName`` if the name is too long or contains control characters.
  static func name(_ text: String) throws(AccountError) -> String? {
    let name = StorableText.trimmed(text)
    guard name.utf8.count <= self.maximumName, !name.unicodeScalars.contains(where: StorableText.isControl) else {
      throw .invalidName
    }
    return name.isEmpty ? nil : name
  }

  /// Returns an email address without surrounding white space; nil if it is empty.
  /// - Throws: ``AccountError/invalidEmail`` if it is too long or not of the form `name@host`.
  static func email(_ text: String) throws(AccountError) -> String? {
    let email = StorableText.trimmed(text)
    if email.isEmpty { return nil }
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard email.utf8.count <= self.maximumEmail, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
      !email.unicodeScalars.contains(where: { StorableText.isControl($0) || $0.properties.isWhitespace })
    else { throw .invalidEmail }
    return email
  }
}
