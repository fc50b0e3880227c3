/// How long codes, tokens, and sessions are valid.
public struct Lifetimes: Sendable {
  /// RFC 6749 §4.1.2 recommends at most ten minutes.
  public var authorizationCode: Duration = .seconds(60)
  public var accessToken: Duration = .seconds(600)
  public var idToken: Duration = .seconds(600)
  /// How long a refresh token is valid if it is not used. Each use replaces it.
  public var refreshTokenIdle: Duration = .seconds(30 * 86_400)
  /// How long a grant with refresh tokens is valid, whether or not it is used. Other grants are valid only as long as
  /// their codes and access tokens can be.
  public var grant: Duration = .seconds(365 * 86_400)
  /// How long a replaced refresh token still returns its unused successor, for clients that lost the response (the
  /// reuse interval).
  ///
  /// The FAPI 2.0 conformance suite repeats a refresh after 31 seconds and requires success (§5.3.2.1 number 9).
  public var reuseInterval: Duration = .seconds(60)
  /// The maximum time from the authorization request to the user's decision. For a pushed request, this time begins
  /// when its `request_uri` expires.
  public var interaction: Duration = .seconds(30 * 60)
  /// The maximum time from the pushed request to its use (RFC 9126 §2.2). It should be long enough for a user to
  /// continue on another device.
  public var pushedRequest: Duration = .seconds(600)
  /// The maximum time from the device authorization request to the poll that obtains the tokens. It includes the time
  /// that the user needs to sign in and decide (RFC 8628 §3.2).
  public var deviceCode: Duration = .seconds(600)
  /// How long a browser session is valid if it is not used.
  public var browserSessionIdle: Duration = .seconds(14 * 86_400)
  /// The time after sign-in at which a browser session expires, whether or not it is used.
  public var browserSession: Duration = .seconds(90 * 86_400)
  /// How long a new key is published before it signs, so that cached JWK Sets include it by then.
  public var keyPublicationLead: Duration = .seconds(600)
  /// How long clients and resource servers may cache the JWK Set. Must be less than ``keyPublicationLead``.
  public var jwksCache: Duration = .seconds(300)
  /// How long a key stays published after it stops signing, so that its tokens can be verified.
  package var keyPublicationTail: Duration { max(self.accessToken, self.idToken) + .seconds(3600) }

  public init() {}
}
