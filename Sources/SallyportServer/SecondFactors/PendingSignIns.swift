import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Seals and opens the state of sign-ins that began with a correct password or at an upstream, and continue with a
/// code. The state is in a hidden form field, and gives no access to the account.
struct PendingSignIns: Sendable {
  let sealer: Sealer
  let now: TimeSource

  /// How long the user may take to enter the code.
  static var lifetime: Duration { .seconds(300) }
  private static var context: String { "second factor" }
  /// The maximum size of a sealed state, in bytes. The issuer, the `sub`, and the `sid` of an upstream are the longest
  /// parts.
  private static var maximumSize: Int { 8_192 }

  /// A sign-in at an upstream.
  struct Upstream: Codable, Sendable {
    let session: UpstreamSession
    let authenticatedAt: Timestamp
  }

  struct Pending: Sendable {
    let account: AccountID
    /// Whether the password no longer meets the policy.
    let mustChangePassword: Bool
    /// The sign-in at the upstream; nil if the user entered a password.
    let upstream: Upstream?
    fileprivate let passwordVersion: String

    /// Whether the account is enabled, and its password has not changed since the first step of the sign-in.
    func isCurrent(for account: AccountRecord) -> Bool {
      self.account == account.id && account.disabledAt == nil && self.passwordVersion == account.passwordVersion
    }
  }

  /// - Parameters:
  ///   - interaction: The identifier of the interaction for which the user signs in.
  ///   - upstream: The sign-in at the upstream; nil if the user entered a password.
  /// - Returns: Nil if the state cannot be sealed.
  func seal(
    _ account: AccountRecord, interaction: String, mustChangePassword: Bool, upstream: Upstream? = nil
  ) -> Secret<String>? {
    let end = self.now() + Self.lifetime
    let passwordStep = mustChangePassword ? "change" : "keep"
    var lines = [
      account.id.rawValue, account.passwordVersion, "\(end.milliseconds)", upstream == nil ? passwordStep : "upstream",
      interaction,
    ]
    if let upstream {
      // Earlier versions of the server cannot read this line, so they reject the state, and the user must start over.
      guard let json = try? JSONEncoder().encode(upstream) else { return nil }
      lines.append(Base64URL.encode(Array(json)))
    }
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context).map { Secret($0) }
  }

  /// - Returns: Nil if the time to enter the code is over, or the value is for another interaction or was not sealed by
  ///   this server.
  func open(_ sealed: Secret<String>, interaction: String) -> Pending? {
    guard sealed.reveal().utf8.count <= Self.maximumSize,
      let plaintext = self.sealer.openText(sealed.reveal(), context: Self.context)
    else {
      return nil
    }
    let lines = plaintext.split(separator: "\n", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 5, let end = Int64(lines[2]), self.now() < Timestamp(milliseconds: end), lines[4] == interaction
    else { return nil }
    // Only the state of a sign-in through an upstream has a sixth line.
    let isThroughUpstream = lines[3] == "upstream"
    guard lines.count == (isThroughUpstream ? 6 : 5) else { return nil }
    var upstream: Upstream?
    if isThroughUpstream {
      guard let json = Base64URL.decode(lines[5]), let signIn = try? JSONDecoder().decode(Upstream.self, from: Data(json))
      else { return nil }
      upstream = signIn
    }
    return Pending(
      account: AccountID(rawValue: lines[0]), mustChangePassword: lines[3] == "change", upstream: upstream,
      passwordVersion: lines[1])
  }
}
