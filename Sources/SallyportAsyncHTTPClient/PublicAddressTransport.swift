import AsyncHTTPClient
public import HTTPTypes
import NIOCore
import NIOPosix
import SallyportProtocol
public import SallyportRemote

/// The transport for addresses that strangers name: it reaches the open internet and nothing else.
///
/// The host's name is resolved here, the address is checked, and the connection goes to exactly that address, so that a name which stands
/// for another one a moment later (DNS rebinding) leads nowhere. Certificates are checked for the name. Only `https` is spoken, no redirect
/// is followed, and each request has a connection of its own.
public struct PublicAddressTransport: Transport {
  private let trustRoots: [String]?
  private let connectTimeout: Duration

  /// - Parameters:
  ///   - trustRoots: files in PEM format whose certificates are trusted *instead* of the system's.
  ///   - connectTimeout: for the connection alone, TLS handshake included.
  public init(trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(5)) {
    self.trustRoots = trustRoots
    self.connectTimeout = connectTimeout
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    guard request.scheme == "https", let url = try? EndpointURL("https://\(request.authority ?? "")"),
      let host = url.components.host
    else { throw .unreachable(reason: "not an https address") }
    let address = try await Self.publicAddress(of: host, port: url.components.port ?? 443)
    let client = LazyClient(trustRoots: self.trustRoots, connectTimeout: self.connectTimeout, addresses: [host: address])
    let transport = AsyncHTTPClientTransport(client: client)
    do {
      let response = try await transport.send(request, body: body, limits: limits)
      await transport.shutdown()
      return response
    } catch {
      await transport.shutdown()
      throw error
    }
  }

  /// The address that the connection will go to.
  /// - Throws: ``TransportError/unreachable(reason:)`` for one that is not on the open internet, and for none.
  private static func publicAddress(of host: String, port: UInt16) async throws(TransportError) -> String {
    let resolved: SocketAddress?
    if IPAddress(host: host) != nil {
      resolved = try? SocketAddress(ipAddress: host.filter { $0 != "[" && $0 != "]" }, port: Int(port))
    } else {
      // The system's resolver blocks its thread.
      resolved = try? await NIOThreadPool.singleton.runIfActive {
        try SocketAddress.makeAddressResolvingHost(host, port: Int(port))
      }
    }
    guard let resolved, let text = resolved.ipAddress else { throw .unreachable(reason: "the name has no address") }
    guard let address = resolved.address, address.isPublic else {
      throw .unreachable(reason: "not an address of the open internet")
    }
    return text
  }
}

extension SocketAddress {
  /// The address's own bytes: in a `sockaddr_in` they follow family and port, in a `sockaddr_in6` the flow too.
  fileprivate var address: IPAddress? {
    self.withSockAddr { pointer, size in
      let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
      switch self {
      case .v4 where size >= 8: return IPAddress(bytes: Array(bytes[4..<8]))
      case .v6 where size >= 24: return IPAddress(bytes: Array(bytes[8..<24]))
      default: return nil
      }
    }
  }
}
