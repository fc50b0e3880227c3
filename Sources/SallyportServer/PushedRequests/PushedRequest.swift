import SallyportProtocol

/// An authorization request that was pushed and is not answered yet, RFC 9126 §4.
struct PushedRequest: Sendable {
  let form: FormParameters
  /// The identifier of the interaction that every opening of the request belongs to.
  let interaction: String
  /// When it can no longer be opened; a page that is open by then may still be finished.
  let expiresAt: Timestamp
}
