public import Hummingbird
import Logging
package import NIOCore
package import SallyportServer

/// What is known of a request beside what it says itself.
public struct ServerRequestContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// The other end of the connection.
  package var peer: SocketAddress? {
    didSet { self.address = ClientAddress(self.peer) }
  }
  /// Where the request comes from, for counting and for telling an operator: the peer, or the client for which a proxy speaks.
  package var address: ClientAddress
  /// The request's identifier, written out once.
  public let id: String

  public init(source: ApplicationRequestContextSource) {
    self.coreContext = .init(source: source)
    self.peer = source.channel.remoteAddress
    self.address = Connection.current?.peer ?? ClientAddress(self.peer)
    self.id = source.logger[metadataKey: "hb.request.id"]?.description ?? ""
  }

  /// The address with the request's identifier, for the audit trail.
  package var origin: AuditOrigin {
    .request(self.id, from: self.address == .unknown ? nil : self.address.description)
  }
}
