/// Limits for the number of connections and their duration.
public struct ConnectionLimits: Sendable, Equatable {
  /// The number of connections that are served at a time. A few more are accepted, so that the server can respond to
  /// their requests with 503 before it closes them.
  public var maximum = 4_096
  /// The number of connections from one address (for IPv6, from one /64 network) that are served at a time; nil for a
  /// sixteenth of ``maximum``, but at least 8. Trusted proxies are exempt, because all of their clients share their
  /// connections.
  public var perAddress: Int?
  /// The time after which an idle connection is closed. For a new connection, the time includes the TLS handshake and
  /// the first request's head.
  public var idle: Duration = .seconds(60)
  /// The time limit for a request and its response, measured from the end of the request's head. The limit ends bodies
  /// that arrive slowly and responses that the client does not read.
  public var request: Duration = .seconds(30)
  /// The minimum rate at which a request's body must arrive, in bytes per second; 0 for no minimum. It applies after
  /// ``bodyGrace``.
  public var bodyRate = 256
  /// The time before ``bodyRate`` applies to a body.
  var bodyGrace: Duration = .seconds(5)
  /// The time after which an idle connection is closed while more than seven eighths of ``maximum`` connections are
  /// open, unless ``idle`` is shorter. Also the time after which an accepted connection that is not served is
  /// closed.
  public var shortIdle: Duration = .seconds(5)

  public init() {}

  /// The number of connections that are accepted at a time. Further connections wait in the operating system's queue.
  public var accepted: Int { self.maximum + max(16, self.maximum / 8) }

  var servedPerAddress: Int { self.perAddress ?? max(8, self.maximum / 16) }

  /// The number of connections that are accepted from one address. Further connections from this address are closed
  /// immediately, without a response.
  var acceptedPerAddress: Int { self.servedPerAddress + max(2, self.servedPerAddress / 8) }

  /// The number of open connections above which ``shortIdle`` applies.
  var nearlyFullCount: Int { self.maximum - self.maximum / 8 }
}
