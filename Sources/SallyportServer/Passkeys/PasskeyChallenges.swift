import SallyportProtocol

/// The challenges of passkey ceremonies. A page contains its challenge in a hidden form field, sealed (encrypted and
/// authenticated), so the server stores nothing when it shows a page. The first valid response of the browser consumes
/// the challenge.
struct PasskeyChallenges: Sendable {
  let sealer: Sealer
  /// How long the user may take to sign in. The page also has a form for the password, which is valid as long.
  let signInLifetime: Duration
  let now: TimeSource

  /// How long the user may take to add a passkey.
  private static var registrationLifetime: Duration { .seconds(300) }
  private static var context: String { "passkey challenge" }

  /// What a challenge may be used for.
  enum Purpose: Sendable, Equatable {
    /// - Parameter interaction: The identifier of the interaction; a constant text for a page without an interaction.
    case signIn(interaction: String)
    /// - Parameter session: The fingerprint of the browser session.
    case registration(session: Fingerprint)

    fileprivate var text: String {
      switch self {
      case .signIn(let interaction): "sign-in \(interaction)"
      case .registration(let session): "registration \(Base64URL.encode(session.bytes))"
      }
    }
  }

  struct Challenge: Sendable {
    let bytes: [UInt8]
    let expiresAt: Timestamp

    /// Consumes the challenge.
    /// - Returns: True for exactly one caller.
    func consume(in tx: inout any StoreTransaction) throws(StoreError) -> Bool {
      try tx.consumeIdentifier(
        Fingerprint(of: Secret("passkey challenge " + Base64URL.encode(self.bytes))), expires: self.expiresAt)
    }
  }

  /// Returns a new challenge and its sealed form, or nil if it cannot be sealed.
  func issue(for purpose: Purpose) -> (challenge: Challenge, sealed: Secret<String>)? {
    let lifetime: Duration
    switch purpose {
    case .signIn: lifetime = self.signInLifetime
    case .registration: lifetime = Self.registrationLifetime
    }
    let challenge = Challenge(bytes: RandomText.bytes(count: 32), expiresAt: self.now() + lifetime)
    let lines = [Base64URL.encode(challenge.bytes), "\(challenge.expiresAt.milliseconds)", purpose.text]
    return self.sealer.sealText(lines.joined(separator: "\n"), context: Self.context).map { (challenge, Secret($0)) }
  }

  /// - Returns: Nil if the challenge has expired, is for another purpose, or was not sealed by this server.
  func open(_ sealed: Secret<String>, for purpose: Purpose) -> Challenge? {
    guard sealed.reveal().utf8.count <= 1_024, let plaintext = self.sealer.openText(sealed.reveal(), context: Self.context) else {
      return nil
    }
    let lines = plaintext.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 3, let bytes = Base64URL.decode(lines[0]), let milliseconds = Int64(lines[1]), lines[2] == purpose.text
    else { return nil }
    let expiry = Timestamp(milliseconds: milliseconds)
    return self.now() < expiry ? Challenge(bytes: bytes, expiresAt: expiry) : nil
  }
}
