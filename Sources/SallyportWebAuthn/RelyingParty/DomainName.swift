/// Domain names as browsers write them: in lowercase, and with Punycode instead of letters outside ASCII.
enum DomainName {
  /// Whether the text is a domain name of at most 253 characters (RFC 1123 §2.1).
  ///
  /// Periods separate its labels. Each label has 1 to 63 lowercase letters, digits, and hyphens, and neither begins nor
  /// ends with a hyphen.
  static func isValid(_ text: String) -> Bool {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= 253 && labels.allSatisfy(self.isValidLabel)
  }

  /// Whether the text can be a relying party ID. IP addresses cannot.
  static func isValidRelyingPartyID(_ text: String) -> Bool {
    // Unlike the last label of an IPv4 address, the last label of a domain name contains a letter. Of the bytes that a
    // label can contain, only letters are greater than `9`.
    self.isValid(text) && text.utf8.split(separator: UInt8(ascii: ".")).last?.contains(where: { $0 > UInt8(ascii: "9") }) == true
  }

  /// Whether a domain is the host or one of its parent domains.
  ///
  /// A parent domain must have a period, so `com` is not accepted for `example.com`. Browsers also consult the Public
  /// Suffix List.
  static func isHostOrParent(_ domain: String, of host: String) -> Bool {
    domain == host || (domain.contains(".") && host.hasSuffix("." + domain))
  }

  private static func isValidLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen: true
        default: false
        }
      }
  }
}
