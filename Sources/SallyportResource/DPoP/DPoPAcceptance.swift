public import SallyportProtocol

/// How an API accepts tokens that are bound to a key (RFC 9449 §7).
public struct DPoPAcceptance: Sendable {
  /// Whether tokens can or must be bound to a key.
  public enum Demand: Sendable {
    /// Bound tokens are rejected.
    case off
    /// Bound tokens require a proof. Bearer tokens are accepted too.
    case accepted
    /// Bearer tokens are rejected.
    case required
  }

  /// Whether tokens can or must be bound to a key.
  public var demand: Demand
  /// The maximum age of a proof, if no nonces are required.
  public var maximumAge: Duration
  /// The source of nonces that proofs must contain (RFC 9449 §9), or `nil` if none are required.
  public var nonces: DPoPNonceSource?
  /// Where used proofs are recorded.
  public var replays: any DPoPReplayStore

  /// Creates a policy for bound tokens.
  /// - Parameters:
  ///   - demand: Whether tokens can or must be bound to a key.
  ///   - maximumAge: The maximum age of a proof, if no nonces are required.
  ///   - nonces: The source of nonces, or `nil` if none are required.
  ///   - replays: Where used proofs are recorded.
  public init(
    _ demand: Demand = .accepted, maximumAge: Duration = .seconds(60), nonces: DPoPNonceSource? = nil,
    replays: any DPoPReplayStore = MemoryReplayStore()
  ) {
    self.demand = demand
    self.maximumAge = maximumAge
    self.nonces = nonces
    self.replays = replays
  }
}
