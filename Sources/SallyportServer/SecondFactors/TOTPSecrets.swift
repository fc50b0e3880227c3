import Crypto
import SallyportProtocol

/// Creates, seals, and opens the secrets of authenticator apps.
struct TOTPSecrets: Sendable {
  let sealer: Sealer
  let now: TimeSource

  /// How long the user may take to set up the app.
  static var enrollmentLifetime: Duration { .seconds(600) }

  /// Seals a secret for the store.
  func seal(_ secret: Secret<[UInt8]>, of account: AccountID) throws(SealError) -> [UInt8] {
    try self.sealer.seal(secret.reveal(), context: Self.context(account))
  }

  /// - Returns: Nil if the secret cannot be opened, for example because the store was restored without its key file.
  func open(_ record: TOTPRecord) -> Secret<[UInt8]>? {
    (try? self.sealer.open(record.sealedSecret, context: Self.context(record.account))).map { Secret($0) }
  }

  /// Seals a new secret for a hidden form field, until the user has entered a code of the app.
  /// - Parameter session: The fingerprint of the session in which the user sets up the app.
  /// - Returns: Nil if the secret cannot be sealed.
  func sealEnrollment(_ secret: Secret<[UInt8]>, session: Fingerprint) -> Secret<String>? {
    let end = self.now() + Self.enrollmentLifetime
    let lines = [Base64URL.encode(secret.reveal()), "\(end.milliseconds)"]
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context(session)).map { Secret($0) }
  }

  /// - Returns: Nil if the time to set up the app is over, or the value belongs to another session or was not sealed by
  ///   this server.
  func openEnrollment(_ sealed: Secret<String>, session: Fingerprint) -> Secret<[UInt8]>? {
    guard sealed.reveal().utf8.count <= 1_024,
      let plaintext = self.sealer.openText(sealed.reveal(), context: Self.context(session))
    else { return nil }
    let lines = plaintext.split(separator: "\n").map(String.init)
    guard lines.count == 2, let secret = Base64URL.decode(lines[0]), let end = Int64(lines[1]),
      self.now() < Timestamp(milliseconds: end)
    else { return nil }
    return Secret(secret)
  }

  private static func context(_ account: AccountID) -> String { "totp of \(account.rawValue)" }

  private static func context(_ session: Fingerprint) -> String { "totp enrollment in \(Base64URL.encode(session.bytes))" }
}
