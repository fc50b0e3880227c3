public import SallyportProtocol

/// A token with which somebody may register clients, RFC 7591 §1.2. The store keeps its fingerprint only.
public struct InitialAccessToken: Sendable {
  public let text: Secret<String>
  public let fingerprint: Fingerprint

  /// A new token.
  public static func random() -> InitialAccessToken {
    let token = OpaqueToken.random(.initialAccess)
    return InitialAccessToken(text: token.text, fingerprint: token.fingerprint)
  }
}
