package import SallyportLanguages

/// The origin of an audited action.
public struct AuditOrigin: Sendable, Hashable {
  public enum Source: String, Sendable, CaseIterable {
    /// A request over the network.
    case request
    /// A command that an operator ran on the server.
    case command
    /// The server itself, for example when it deletes expired data or gives up on a delivery.
    case server
  }

  public var source: Source
  /// The network address from which the request came.
  public var address: String?
  /// The request ID, as in the log and on error pages.
  public var requestID: String?
  /// The `User-Agent` of the request, for the notification of the user. The audit trail does not contain this field,
  /// so `==` ignores it.
  package var userAgent: String?
  /// The language of the request, for mail to the user. `==` ignores this field too.
  package var language: Language?

  public init(source: Source, address: String? = nil, requestID: String? = nil) {
    self.source = source
    self.address = address
    self.requestID = requestID
  }

  public static func == (one: AuditOrigin, other: AuditOrigin) -> Bool {
    one.source == other.source && one.address == other.address && one.requestID == other.requestID
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(self.source)
    hasher.combine(self.address)
    hasher.combine(self.requestID)
  }

  public static let command = AuditOrigin(source: .command)
  public static let server = AuditOrigin(source: .server)

  public static func request(_ id: String, from address: String?) -> AuditOrigin {
    AuditOrigin(source: .request, address: address, requestID: id)
  }
}
