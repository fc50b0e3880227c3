#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol

/// An access token for a ``TokenTarget``, and what the server said about it.
public struct AccessToken: Sendable {
  /// The token, for an `Authorization: Bearer` header field (RFC 6750 §2.1).
  public let value: Secret<String>
  /// The scope that the server granted (RFC 6749 §3.3). It can be narrower than the requested scope, and some servers
  /// spell its values differently.
  public let scope: Scope
  package let type: TokenType
  /// When the token was requested, according to this machine's clock.
  let obtainedAt: Timestamp
  let expiresAt: Timestamp?

  /// When the token expires, or `nil` if the server didn't provide a lifetime.
  public var expiration: Date? { self.expiresAt?.date }

  /// Whether the token remains valid for at least the given time.
  ///
  /// If the token's total lifetime is at most `minimum`, the token counts as valid while more than half of its lifetime
  /// remains. Without this exception, every use of a short-lived token would cause a refresh.
  func isValid(for minimum: Duration = .zero, at now: Timestamp) -> Bool {
    guard let expiresAt = self.expiresAt else { return true }
    let lifetime = expiresAt - self.obtainedAt
    return expiresAt - now > (lifetime > minimum ? minimum : lifetime / 2)
  }

  /// Whether the token was requested more than a minute after `now`, which means that the clock was set back. The token
  /// may then have expired, although ``isValid(for:at:)`` returns `true`.
  func isFromFuture(at now: Timestamp) -> Bool { self.obtainedAt - now > .seconds(60) }
}
