public import SallyportProtocol

/// How an API takes tokens that are bound to a key, RFC 9449 §7.
public struct DPoPAcceptance: Sendable {
  public enum Demand: Sendable {
    /// Bound tokens are not taken.
    case off
    /// Bound tokens come with a proof; bearer tokens are taken too.
    case accepted
    /// No bearer token is taken.
    case required
  }

  public var demand: Demand
  /// How long ago a proof may have been made.
  public var maximumAge: Duration
  /// The nonces that proofs must repeat (§9); nil for none.
  public var nonces: DPoPNonceSource?
  /// Where used proofs are remembered.
  public var replays: any DPoPReplayStore

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
