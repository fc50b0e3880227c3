/// The answer to a pushed request, RFC 9126 §2.2, as both ends write and read it.
package struct PushedResponseJSON: Codable {
  package var requestURI: String
  /// In seconds.
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
