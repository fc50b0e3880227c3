public import Hummingbird
import Logging
package import NIOCore

/// What the server knows about a request besides its head and body.
public struct ServerRequestContext: RequestContext {
  public var coreContext: CoreRequestContextStorage
  /// The connection's peer: the client, or a proxy in front of the server. After the initializer, only tests set this
  /// property, to simulate a client at another address.
  package var peer: SocketAddress? {
    didSet { self.remoteAddress = RemoteAddress(self.peer) }
  }
  /// The client's address: the address of the peer, or the one that a trusted proxy reports.
  package var remoteAddress: RemoteAddress
  /// The request's identifier, which appears in the log, in the audit trail, and on error pages.
  public let id: String

  public init(source: ApplicationRequestContextSource) {
    self.coreContext = .init(source: source)
    self.peer = source.channel.remoteAddress
    self.remoteAddress = Connection.current?.address ?? RemoteAddress(self.peer)
    self.id = source.logger[metadataKey: "hb.request.id"]?.description ?? ""
  }
}
