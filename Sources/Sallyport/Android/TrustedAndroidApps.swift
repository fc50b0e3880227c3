/// The apps that may be handed an authorization request on Android, each by package name *and* signing certificate (rule P-07).
///
/// A package name alone proves nothing: whoever is installed first has it.
public struct TrustedAndroidApps: Sendable {
  /// One app that is trusted.
  public struct Entry: Equatable, Sendable {
    public var packageName: String
    /// All certificates of the package; where an app is signed with several, all of them and no other.
    public var signers: Set<CertificateFingerprint>

    public init(packageName: String, signers: Set<CertificateFingerprint>) {
      self.packageName = packageName
      self.signers = signers
    }
  }

  /// In the order in which they are preferred, for example the provider's own app first. One package may stand here twice, with the
  /// certificates of two of its distributions.
  public var entries: [Entry]

  public init(_ entries: [Entry]) {
    self.entries = entries
  }

  /// The installed app that is preferred among those that are what they say they are; nil where there is none.
  public func choose(among installed: [AndroidApp]) -> AndroidApp? {
    for entry in self.entries {
      if let app = installed.first(where: { Self.matches($0, entry) }) { return app }
    }
    return nil
  }

  /// Package name and certificates, byte for byte; a package without a certificate is nobody's.
  private static func matches(_ app: AndroidApp, _ entry: Entry) -> Bool {
    app.packageName.utf8.elementsEqual(entry.packageName.utf8) && !entry.signers.isEmpty && app.signers == entry.signers
  }
}
