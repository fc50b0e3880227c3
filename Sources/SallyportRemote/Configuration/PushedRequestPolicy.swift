extension ServerConfiguration {
  /// Whether authorization requests are sent directly to the server before the browser opens (RFC 9126).
  public enum PushedRequestPolicy: String, Sendable, Codable, CaseIterable {
    /// Only if the server's metadata names an endpoint for pushed requests.
    case whenOffered
    /// Never. The URL in the browser and in the browser's history then contains the whole request.
    case never
    /// Always. The sign-in fails if the server doesn't support pushed requests.
    case required
  }
}
