/// How many connections a server serves, and how long each may take for what.
public struct ConnectionLimits: Sendable, Equatable {
  /// Served at a time. A few more are accepted, for as long as it takes to tell them so with 503.
  public var maximum = 4_096
  /// Served at a time from one address (of IPv6, from one /64); nil for a sixteenth of ``maximum``, and at least 8. Proxies of the operator
  /// are not counted: each of their connections may be anyone's.
  public var perAddress: Int?
  /// A connection that asks for nothing more is closed after this time; so is one that asks for nothing at all, TLS handshake and
  /// first header included.
  public var idle: Duration = .seconds(60)
  /// For one request with its answer, from the end of its header on: a body that comes a byte at a time, or an answer that nobody
  /// reads, holds a connection no longer.
  public var request: Duration = .seconds(30)
  /// The slowest pace at which the body of a request may come in, in bytes per second; 0 for any. It is measured after ``bodyGrace``.
  public var bodyRate = 256
  /// How long a body may take before its pace counts.
  var bodyGrace: Duration = .seconds(5)
  /// The same as ``idle`` as soon as connections become scarce, and for those beyond the maximum.
  public var crowdedIdle: Duration = .seconds(5)

  public init() {}

  /// Accepted at a time: those beyond wait in the system's queue, which moves on as the ones that were told so are closed.
  public var accepted: Int { self.maximum + max(16, self.maximum / 8) }

  var servedPerAddress: Int { self.perAddress ?? max(8, self.maximum / 16) }

  /// Accepted from one address: a few more than are served, to tell them so. What comes beyond is closed at once and holds no place.
  var acceptedPerAddress: Int { self.servedPerAddress + max(2, self.servedPerAddress / 8) }

  /// From here on idle connections make room.
  var crowded: Int { self.maximum - self.maximum / 8 }
}
