import SallyportProtocol

/// Seals and opens the state of sign-ins that began with a correct password or at an upstream, and continue with a code. The state is in a hidden
/// form field, and gives no access to the account.
struct PendingSignIns: Sendable {
  let sealer: Sealer
  let now: TimeSource

  /// How long the user may take to enter the code.
  static var lifetime: Duration { .seconds(300) }
  private static var context: String { "second factor" }

  struct Pending: Sendable {
    let account: AccountID
    /// Whether the password no longer meets the policy.
    let mustChangePassword: Bool
    /// Whether the user signed in through an upstream instead of with a password.
    let isFederated: Bool
    fileprivate let passwordVersion: String

    /// Whether the account is enabled and still has the password that the user entered.
    func isCurrent(for account: AccountRecord) -> Bool {
      self.account == account.id && account.disabledAt == nil && self.passwordVersion == account.passwordVersion
    }
  }

  /// - Parameter interaction: The identifier of the interaction for which the user signs in.
  func seal(
    _ account: AccountRecord, interaction: String, mustChangePassword: Bool, isFederated: Bool = false
  ) -> Secret<String>? {
    let end = self.now() + Self.lifetime
    let lines = [
      account.id.rawValue, account.passwordVersion, "\(end.milliseconds)",
      isFederated ? "upstream" : mustChangePassword ? "change" : "keep",
      interaction,
    ]
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context).map { Secret($0) }
  }

  /// - Returns: Nil if the time is over, or the value is for another interaction or was not sealed by this server.
  func open(_ sealed: Secret<String>, interaction: String) -> Pending? {
    guard sealed.reveal().utf8.count <= 2_048, let plain = self.sealer.openText(sealed.reveal(), context: Self.context) else {
      return nil
    }
    let lines = plain.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 5, let end = Int64(lines[2]), self.now() < Timestamp(milliseconds: end), lines[4] == interaction else {
      return nil
    }
    return Pending(
      account: AccountID(rawValue: lines[0]), mustChangePassword: lines[3] == "change", isFederated: lines[3] == "upstream",
      passwordVersion: lines[1])
  }
}
