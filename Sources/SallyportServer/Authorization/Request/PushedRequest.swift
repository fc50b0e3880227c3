import SallyportProtocol

/// A pushed authorization request for which there is no response yet (RFC 9126 §4).
struct PushedRequest: Sendable {
  let form: FormParameters
  /// The identifier of the interaction that all uses of the `request_uri` share.
  let interaction: String
  /// The time at which the `request_uri` expires. Interactions that began earlier can still be completed.
  let expiresAt: Timestamp
}
