import AsyncHTTPClient
public import HTTPTypes
import NIOCore
import NIOPosix
import SallyportProtocol
public import SallyportRemote

/// A transport for URLs from untrusted parties, which connects only to public addresses.
///
/// It resolves the host name, checks the address, and connects to exactly that address without a proxy, so that DNS
/// rebinding has no effect. Certificates are verified for the host name. The transport supports only `https`, follows
/// no redirects, and uses a new connection for each request.
public struct PublicAddressTransport: Transport {
  private let trustRoots: [String]?
  private let connectTimeout: Duration

  /// Creates a transport.
  /// - Parameters:
  ///   - trustRoots: PEM files with root certificates that are trusted *instead* of the system's.
  ///   - connectTimeout: The timeout for establishing a connection, including the TLS handshake.
  public init(trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(5)) {
    self.trustRoots = trustRoots
    self.connectTimeout = connectTimeout
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    guard request.scheme == "https", let url = try? EndpointURL("https://\(request.authority ?? "")"),
      let host = url.components.host
    else { throw .unreachable(reason: "the URL is not an https URL") }
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

  /// Resolves a host to the address to connect to.
  /// - Throws: ``TransportError/unreachable(reason:)`` if the host has no address, or its address is not public.
  private static func publicAddress(of host: String, port: UInt16) async throws(TransportError) -> String {
    let resolved: SocketAddress?
    if IPAddress(host: host) != nil {
      resolved = try? SocketAddress(ipAddress: host.filter { $0 != "[" && $0 != "]" }, port: Int(port))
    } else {
      // The system's resolver blocks the thread that calls it.
      resolved = try? await NIOThreadPool.singleton.runIfActive {
        try SocketAddress.makeAddressResolvingHost(host, port: Int(port))
      }
    }
    guard let resolved, let text = resolved.ipAddress else { throw .unreachable(reason: "the host name has no address") }
    guard let address = resolved.address, address.isPublic else {
      throw .unreachable(reason: "the host's address is not public")
    }
    return text
  }
}

extension SocketAddress {
  /// The bytes of the address. In a `sockaddr_in` they start at offset 4, in a `sockaddr_in6` at offset 8.
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
