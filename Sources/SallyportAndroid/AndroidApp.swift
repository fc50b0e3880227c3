/// An installed Android app that can open the authorization request: a browser, or the provider's own app.
public struct AndroidApp: Equatable, Sendable {
  /// The package name.
  public var packageName: String
  /// The certificates that the installed package is currently signed with (`SigningInfo.getApkContentsSigners`).
  public var signers: Set<CertificateFingerprint>
  /// Whether the app provides a Custom Tabs service.
  public var offersCustomTabs: Bool

  /// Creates a description of an app. The properties with the same names describe the parameters.
  public init(packageName: String, signers: Set<CertificateFingerprint>, offersCustomTabs: Bool) {
    self.packageName = packageName
    self.signers = signers
    self.offersCustomTabs = offersCustomTabs
  }
}

/// The SHA-256 fingerprint of a signing certificate.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Parses 64 hexadecimal digits, with or without a colon between bytes, as `keytool` and `apksigner` print them.
  /// - Returns: `nil` if the text has any other form.
  public init?(_ text: String) {
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    let digits: [UInt8]
    switch groups.count {
    case 1: digits = Array(text.utf8)
    case 32 where groups.allSatisfy({ $0.utf8.count == 2 }): digits = groups.flatMap(\.utf8)
    default: return nil
    }
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 64, values.count == 64 else { return nil }
    self.bytes = stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  /// The fingerprint as `keytool` prints it: uppercase, with a colon between bytes.
  public var description: String {
    self.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
  }
}
