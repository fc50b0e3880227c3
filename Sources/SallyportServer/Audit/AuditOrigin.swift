/// Where an action came from, as the audit trail says it.
public struct AuditOrigin: Sendable, Hashable {
  public enum Source: String, Sendable, CaseIterable {
    /// Somebody over the network.
    case request
    /// An operator on the server's machine.
    case command
    /// The server of its own accord: what has ended, what could not be delivered.
    case server
  }

  public var source: Source
  /// The network address that the request came from.
  public var address: String?
  /// The request's identifier, the same as in the log and on error pages.
  public var requestID: String?

  public init(source: Source, address: String? = nil, requestID: String? = nil) {
    self.source = source
    self.address = address
    self.requestID = requestID
  }

  public static let command = AuditOrigin(source: .command)
  public static let server = AuditOrigin(source: .server)

  public static func request(_ id: String, from address: String?) -> AuditOrigin {
    AuditOrigin(source: .request, address: address, requestID: id)
  }
}
