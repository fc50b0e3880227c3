public import Hummingbird
import Logging
package import NIOCore
package import SallyportServer

/// What is known of a request beside what it says itself.
public struct ServerRequestContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// The peer of the connection, or the client for which a proxy speaks.
  package var remote: SocketAddress?
  /// The request's identifier, written out once.
  public let id: String

  public init(source: ApplicationRequestContextSource) {
    self.coreContext = .init(source: source)
    self.remote = source.channel.remoteAddress
    self.id = source.logger[metadataKey: "hb.request.id"]?.description ?? ""
  }

  /// Where the request comes from, for counting and for telling an operator.
  package var address: ClientAddress {
    self.remote?.unmapped.client ?? .unknown
  }

  /// The same with the request's identifier, for the audit trail.
  package var origin: AuditOrigin {
    .request(self.id, from: self.remote?.unmapped.ipAddress)
  }
}
