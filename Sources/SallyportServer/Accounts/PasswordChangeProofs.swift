import SallyportProtocol

/// Proofs that a user entered the correct password of an account, was authenticated recently, or used a one-time link,
/// and may therefore choose a new password.
///
/// A proof is sealed in a hidden form field or a cookie, never in a URL. It expires after ``lifetime``, or earlier if
/// the password changes or the account is disabled.
struct PasswordChangeProofs: Sendable {
  let sealer: Sealer
  let now: TimeSource
  /// How long after the proof was sealed the user can choose the new password.
  var lifetime: Duration = .seconds(600)

  private static var context: String { "password change" }

  struct Proof: Sendable {
    let account: AccountID
    /// How and when the user was authenticated, which also applies to the session that begins after the change. A
    /// one-time link does not authenticate the user, so no session begins.
    let evidence: AuthenticationContext.Evidence
    /// The fingerprint of the session in which the user changes the password, or of the one-time link; nil if the user
    /// is signing in.
    let credential: Fingerprint?
    fileprivate let passwordVersion: String

    /// Whether the account is enabled and still has the password that it had when the proof was sealed.
    func isCurrent(for account: AccountRecord) -> Bool {
      self.account == account.id && account.disabledAt == nil && self.passwordVersion == account.passwordVersion
    }
  }

  /// - Parameters:
  ///   - evidence: How and when the user was authenticated.
  ///   - credential: The fingerprint of the user's session or one-time link; nil if the user is signing in.
  ///   - start: When the proof's ``lifetime`` begins; nil for now.
  /// - Returns: The sealed proof; nil if it cannot be sealed.
  func seal(
    _ account: AccountRecord, _ evidence: AuthenticationContext.Evidence, credential: Fingerprint? = nil,
    since start: Timestamp? = nil
  ) -> Secret<String>? {
    let end = (start ?? self.now()) + self.lifetime
    let lines = [
      account.id.rawValue, account.passwordVersion, "\(end.milliseconds)", "\(evidence.time.milliseconds)",
      evidence.methods.joined(separator: " "), credential.map { Base64URL.encode($0.bytes) } ?? "",
    ]
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context).map { Secret($0) }
  }

  /// - Returns: Nil if the proof has expired, or this server did not seal it.
  func open(_ text: String?) -> Proof? {
    guard let text, text.utf8.count <= 1_024, let plaintext = self.sealer.openText(text, context: Self.context) else {
      return nil
    }
    let lines = plaintext.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 6, let end = Int64(lines[2]), self.now() < Timestamp(milliseconds: end), let time = Int64(lines[3])
    else { return nil }
    let evidence = AuthenticationContext.Evidence(
      lines[4].split(separator: " ").map(String.init), at: Timestamp(milliseconds: time))
    let credential = Base64URL.decode(lines[5]).flatMap { $0.count == 32 ? Fingerprint(bytes: $0) : nil }
    return Proof(account: AccountID(rawValue: lines[0]), evidence: evidence, credential: credential, passwordVersion: lines[1])
  }
}

extension AccountRecord {
  /// A text that changes whenever the password is set. It includes the fingerprint of the hash, because the time alone
  /// would not distinguish two passwords that were set within the same millisecond.
  var passwordVersion: String {
    let fingerprint = Fingerprint(of: Secret(self.passwordHash))
    return "\(self.passwordChangedAt.milliseconds) \(Base64URL.encode(fingerprint.bytes))"
  }
}
