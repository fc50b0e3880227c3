/// How many connections a server serves, and how long each may take for what.
public struct ConnectionLimits: Sendable, Equatable {
  /// Served at a time. A few more are accepted, for as long as it takes to tell them so with 503.
  public var maximum = 4_096
  /// A connection that asks for nothing more is closed after this time; so is one that asks for nothing at all, TLS handshake and
  /// first header included.
  public var idle: Duration = .seconds(60)
  /// For one request with its answer, from the end of its header on: a body that comes a byte at a time, or an answer that nobody
  /// reads, holds a connection no longer.
  public var request: Duration = .seconds(30)
  /// The same as ``idle`` as soon as connections become scarce, and for those beyond the maximum.
  public var crowdedIdle: Duration = .seconds(5)

  public init() {}

  /// Accepted at a time: those beyond wait in the system's queue, which moves on as the ones that were told so are closed.
  public var accepted: Int { self.maximum + max(16, self.maximum / 8) }

  /// From here on idle connections make room.
  var crowded: Int { self.maximum - self.maximum / 8 }
}
