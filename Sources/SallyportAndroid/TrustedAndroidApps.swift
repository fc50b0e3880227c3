/// The Android apps that may receive an authorization request, each identified by package name *and* signing
/// certificate (rule P-07).
///
/// A package name alone doesn't identify an app: any app can use the name of an app that is not installed on the
/// device.
public struct TrustedAndroidApps: Sendable {
  /// A trusted app.
  public struct Entry: Equatable, Sendable {
    /// The package name.
    public var packageName: String
    /// Every certificate that the package is signed with. The installed package must have exactly these signers.
    public var signers: Set<CertificateFingerprint>

    /// Creates an entry.
    /// - Parameters:
    ///   - packageName: The package name.
    ///   - signers: Every certificate that the package is signed with.
    public init(packageName: String, signers: Set<CertificateFingerprint>) {
      self.packageName = packageName
      self.signers = signers
    }
  }

  /// The trusted apps in order of preference, for example the provider's own app first.
  ///
  /// A package can appear more than once, for example with the certificates of two distribution channels.
  public var entries: [Entry]

  /// Creates a list.
  /// - Parameter entries: The trusted apps in order of preference.
  public init(_ entries: [Entry]) {
    self.entries = entries
  }

  /// Returns the most preferred trusted app that is installed, or `nil` if none is.
  public func choose(among installed: [AndroidApp]) -> AndroidApp? {
    for entry in self.entries {
      if let app = installed.first(where: { Self.matches($0, entry) }) { return app }
    }
    return nil
  }

  /// Compares the package name byte for byte and the signers as a set. An entry without signers matches nothing.
  private static func matches(_ app: AndroidApp, _ entry: Entry) -> Bool {
    app.packageName.utf8.elementsEqual(entry.packageName.utf8) && !entry.signers.isEmpty && app.signers == entry.signers
  }
}
