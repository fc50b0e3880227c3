public import SallyportProtocol

/// What the request that an ID token answers says about it.
public struct IDTokenExpectations: Sendable {
  /// The nonce that was sent; nil where none was, as in a refresh request.
  public var nonce: String?
  /// The access token that came with it, for `at_hash`.
  public var accessToken: Secret<String>?
  /// The claims of the ID token before, where this one came from a refresh.
  public var previous: IDTokenClaims?
  /// `max_age`, where it was asked for: how long ago the person may have authenticated.
  public var maxAge: Duration?
  /// The classes of authentication of which the token must show one; empty where any will do.
  public var acrValues: [String] = []

  public init(nonce: String?, accessToken: Secret<String>? = nil, previous: IDTokenClaims? = nil) {
    self.nonce = nonce
    self.accessToken = accessToken
    self.previous = previous
  }
}
