import SallyportProtocol

/// A pushed authorization request that the user has not decided on yet (RFC 9126 §4).
struct PushedRequest: Sendable {
  let form: FormParameters
  /// The identifier of the interaction that all uses of the `request_uri` share.
  let interaction: String
  /// The time at which the `request_uri` expires. Interactions that began before then can still be completed.
  let expiresAt: Timestamp
}
