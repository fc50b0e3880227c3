/// The response to a pushed authorization request (RFC 9126 §2.2) in JSON.
package struct PushedResponseJSON: Codable, Sendable {
  package var requestURI: String
  /// The lifetime in seconds.
  package var expiresIn: Int

  package init(requestURI: String, expiresIn: Int) {
    self.requestURI = requestURI
    self.expiresIn = expiresIn
  }

  private enum CodingKeys: String, CodingKey {
    case requestURI = "request_uri"
    case expiresIn = "expires_in"
  }
}
