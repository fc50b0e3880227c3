import SallyportProtocol

/// Proofs that a user entered the correct password of an account, or was authenticated recently, and may therefore
/// choose a new password.
///
/// A proof is sealed in a hidden form field or a cookie, never in a URL. It is valid for ``lifetime``, or until the
/// password changes or the account is disabled.
struct PasswordChangeProofs: Sendable {
  let sealer: Sealer
  let now: TimeSource
  /// The time in which the user must choose the new password.
  var lifetime: Duration = .seconds(600)

  private static var context: String { "password change" }

  struct Proof: Sendable {
    let account: AccountID
    fileprivate let passwordVersion: String

    /// Whether the account is enabled and still has the password that it had when the proof was sealed.
    func isCurrent(for account: AccountRecord) -> Bool {
      self.account == account.id && account.disabledAt == nil
        && self.passwordVersion == PasswordChangeProofs.passwordVersion(account)
    }
  }

  func seal(_ account: AccountRecord) -> Secret<String>? {
    let end = self.now() + self.lifetime
    let lines = [account.id.rawValue, Self.passwordVersion(account), "\(end.milliseconds)"]
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context).map { Secret($0) }
  }

  /// - Returns: Nil if the proof has expired, or this server did not seal it.
  func open(_ text: String?) -> Proof? {
    guard let text, text.utf8.count <= 1_024, let plain = self.sealer.openText(text, context: Self.context) else { return nil }
    let lines = plain.split(separator: "\n").map(String.init)
    guard lines.count == 3, let end = Int64(lines[2]), self.now() < Timestamp(milliseconds: end) else { return nil }
    return Proof(account: AccountID(rawValue: lines[0]), passwordVersion: lines[1])
  }

  /// Returns a text that changes whenever the password is set. It includes the fingerprint of the hash, because the
  /// time alone would not distinguish two passwords that were set within the same millisecond.
  fileprivate static func passwordVersion(_ account: AccountRecord) -> String {
    let fingerprint = Fingerprint(of: Secret(account.passwordHash))
    return "\(account.passwordChangedAt.milliseconds) \(Base64URL.encode(fingerprint.bytes))"
  }
}
