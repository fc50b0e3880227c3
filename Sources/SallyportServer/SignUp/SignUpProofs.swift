import SallyportProtocol

/// Proofs that a link for sign-up was used in this browser. A proof is sealed in a cookie, never in a URL.
struct SignUpProofs: Sendable {
  let sealer: Sealer
  let now: TimeSource
  let lifetime: Duration

  private static var context: String { "sign-up" }

  /// - Parameter consumedAt: When the link was first used, which is when the proof's ``lifetime`` begins.
  /// - Returns: Nil if the proof cannot be sealed.
  func seal(_ link: Fingerprint, since consumedAt: Timestamp) -> Secret<String>? {
    let end = consumedAt + self.lifetime
    let text = "\(Base64URL.encode(link.bytes))\n\(end.milliseconds)"
    return self.sealer.sealText(text, context: Self.context).map { Secret($0) }
  }

  /// - Returns: The fingerprint of the link; nil if the proof has expired, or this server did not seal it.
  func open(_ text: String?) -> Fingerprint? {
    guard let text, text.utf8.count <= 1_024, let plaintext = self.sealer.openText(text, context: Self.context) else {
      return nil
    }
    let lines = plaintext.split(separator: "\n").map(String.init)
    guard lines.count == 2, let end = Int64(lines[1]), self.now() < Timestamp(milliseconds: end),
      let bytes = Base64URL.decode(lines[0]), bytes.count == 32
    else { return nil }
    return Fingerprint(bytes: bytes)
  }
}
