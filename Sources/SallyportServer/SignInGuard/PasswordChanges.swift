import SallyportProtocol

/// Proofs that somebody has just entered the right password of an account, with which they may choose a new one and nothing else.
///
/// A proof travels sealed in a hidden field of the form, never in a URL. It ends soon, and as soon as the password changes.
struct PasswordChanges: Sendable {
  let sealer: Sealer
  let now: TimeSource

  /// From the right password to the new one.
  static var lifetime: Duration { .seconds(600) }
  private static var context: String { "password change" }

  struct Proof: Sendable {
    let account: AccountID
    fileprivate let password: String

    /// Whether the account still has the password that was entered.
    func isCurrent(for account: AccountRecord) -> Bool {
      self.account == account.id && account.disabledAt == nil && self.password == PasswordChanges.mark(account)
    }
  }

  func seal(_ account: AccountRecord) -> Secret<String>? {
    let end = self.now() + Self.lifetime
    let lines = [account.id.rawValue, Self.mark(account), "\(end.milliseconds)"]
    let sealed = try? self.sealer.seal(lines.joined(separator: "\n").utf8, context: Self.context)
    return sealed.map { Secret(Base64URL.encode($0)) }
  }

  /// - Returns: nil for anything that this server has not sealed, or that has expired.
  func open(_ text: String?) -> Proof? {
    guard let text, text.utf8.count <= 1_024, let sealed = Base64URL.decode(text),
      let plain = try? self.sealer.open(sealed, context: Self.context)
    else { return nil }
    let lines = String(decoding: plain, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count == 3, let end = Int64(lines[2]), self.now() < Timestamp(milliseconds: end) else { return nil }
    return Proof(account: AccountID(rawValue: lines[0]), password: lines[1])
  }

  /// The time alone would not tell two passwords of the same millisecond apart.
  fileprivate static func mark(_ account: AccountRecord) -> String {
    let fingerprint = Fingerprint(of: Secret(account.passwordHash))
    return "\(account.passwordChangedAt.milliseconds) \(Base64URL.encode(fingerprint.bytes))"
  }
}
