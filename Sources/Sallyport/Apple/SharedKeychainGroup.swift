#if canImport(Security)
  import Foundation
  import SallyportProtocol
  import Security

  /// A Keychain access group that an app shares with its extensions or with other apps of its team, and an app group.
  /// The Keychain access group holds the tokens. The app group's container holds lock files, so that only one program
  /// at a time refreshes the tokens.
  ///
  /// Programs that share tokens must also share the lock files. Otherwise two programs can refresh at the same time,
  /// and a server that rotates refresh tokens may then end the session. A ``KeychainTokenStore`` therefore accepts an
  /// access group only together with an app group, in a value of this type.
  public struct SharedKeychainGroup: Sendable {
    /// The Keychain access group, with the team's prefix: `TEAMID.com.example.shared`.
    public let accessGroup: String
    /// The identifier of the app group: `group.com.example.shared`.
    public let appGroup: String
    /// The lock files, which are in the app group's container.
    let leases: LeaseFolder

    /// Opens the app group's container.
    /// - Parameters:
    ///   - accessGroup: The Keychain access group, as in the entitlement `keychain-access-groups`.
    ///   - appGroup: The app group, as in the entitlement `com.apple.security.application-groups`. All programs that
    ///     use the access group must use the same app group.
    /// - Throws: ``TokenStoreError/unavailable(reason:)`` if this program has no access to the container, for example
    ///   because it lacks the entitlement.
    public init(accessGroup: String, appGroup: String) throws(TokenStoreError) {
      let files = FileManager.default
      guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
        throw .unavailable(reason: "this program has no container for the app group '\(appGroup)'; check its entitlements")
      }
      // The folder is not in Library/Caches, because the system may remove files there, even lock files in use.
      let folder = container.appendingPathComponent("Library/Application Support/sallyport", isDirectory: true).path
      do {
        // macOS returns a URL for every app group, so only creating the folder shows that the program has access.
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      } catch {
        throw .unavailable(reason: "this program cannot write to the container of the app group '\(appGroup)'")
      }
      self.accessGroup = accessGroup
      self.appGroup = appGroup
      self.leases = LeaseFolder(path: folder)
    }
  }
#endif
