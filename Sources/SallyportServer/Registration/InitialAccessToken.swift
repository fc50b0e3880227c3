public import SallyportProtocol

/// An initial access token, which authorizes client registration (RFC 7591 §1.2). The store keeps only its fingerprint.
public struct InitialAccessToken: Sendable {
  public let text: Secret<String>
  public let fingerprint: Fingerprint

  /// Returns a new token.
  public static func random() -> InitialAccessToken {
    let token = OpaqueToken.random(.initialAccess)
    return InitialAccessToken(text: token.text, fingerprint: token.fingerprint)
  }
}
