public import SallyportProtocol

/// What an ID token must contain to match its request.
public struct IDTokenExpectations: Sendable {
  /// The nonce of the request, or `nil` if there was none, as in a refresh request.
  public var nonce: String?
  /// The access token of the same response, for `at_hash`.
  public var accessToken: Secret<String>?
  /// The claims of the previous ID token, if this one came from a refresh.
  public var previous: IDTokenClaims?
  /// The requested `max_age`: the maximum time since the user authenticated.
  public var maxAge: Duration?
  /// The acceptable authentication context classes. One of them is required, or none if the list is empty.
  public var acrValues: [String] = []

  /// - Parameters:
  ///   - nonce: The nonce of the request, or `nil` if there was none.
  ///   - accessToken: The access token of the same response.
  ///   - previous: The claims of the previous ID token, for a refresh.
  public init(nonce: String?, accessToken: Secret<String>? = nil, previous: IDTokenClaims? = nil) {
    self.nonce = nonce
    self.accessToken = accessToken
    self.previous = previous
  }
}
