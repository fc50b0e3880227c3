package import SallyportProtocol

/// What an ID token must contain to match its request.
package struct IDTokenExpectations: Sendable {
  /// The nonce of the request, or `nil` if there was none, as in a refresh request.
  package var nonce: String?
  /// The access token of the same response, which `at_hash` must match.
  package var accessToken: Secret<String>?
  /// The claims of the previous ID token, if the token to verify came from a refresh.
  package var previous: IDTokenClaims?
  /// The server's time when it sent the token, if known. If a time check fails, ``IDTokenVerifier`` uses it to find out
  /// whether this machine's clock is wrong.
  package var serverTime: Timestamp?
  /// The requested `max_age`: the maximum time since the user authenticated.
  package var maxAge: Duration?
  /// The acceptable authentication context classes. The token must contain one of them, unless the list is empty.
  package var acrValues: [String] = []

  /// - Parameters:
  ///   - nonce: The nonce of the request, or `nil` if there was none.
  ///   - accessToken: The access token of the same response.
  ///   - previous: The claims of the previous ID token, for a refresh.
  package init(nonce: String?, accessToken: Secret<String>? = nil, previous: IDTokenClaims? = nil) {
    self.nonce = nonce
    self.accessToken = accessToken
    self.previous = previous
  }
}
