/// Whether authorization requests are sent directly to the server before the browser opens (RFC 9126).
public enum PushedRequestPolicy: String, Sendable, Codable, CaseIterable {
  /// If the server's metadata names an endpoint for them.
  case whenOffered
  /// Never. The URL in the browser and in the browser's history then contains the whole request.
  case never
  /// Always. The sign-in fails if the server doesn't support them.
  case required
}
