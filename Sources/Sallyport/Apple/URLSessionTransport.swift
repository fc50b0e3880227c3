#if canImport(Security)
  public import HTTPTypes
  public import SallyportRemote

  #if canImport(FoundationNetworking)
    // Apple platforms don't have this module. Scripts/platforms compiles this file on Linux, against stubs of Apple's
    // APIs.
    import Foundation
    public import FoundationNetworking
  #else
    public import Foundation
  #endif

  /// The transport for Apple platforms, based on `URLSession`. It follows no redirects and uses no cookies, cache, or
  /// stored credentials.
  ///
  /// Keep one instance for the lifetime of the app. Its connections are closed when the last copy is released.
  public struct URLSessionTransport: Transport {
    private let owner: Owner

    /// Creates a transport.
    /// - Parameter configuration: The session's configuration, for example with a proxy, a minimum TLS version, or
    ///   `waitsForConnectivity`. The transport uses a copy with cookies, cache, and stored credentials turned off.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
      self.owner = Owner(configuration.copy() as? URLSessionConfiguration ?? .ephemeral)
    }

    public func send(
      _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
    ) async throws(TransportError) -> TransportResponse {
      if Task.isCancelled { throw .cancelled }
      guard let outgoing = URLRequest(request, body: body, timeout: limits.timeout) else {
        throw .unreachable(reason: "the request's URL is not valid")
      }
      // URLSession restarts its own timeout with every packet, so `enforcingTimeout` limits the whole exchange.
      return try await limits.enforcingTimeout { [owner] in
        await owner.exchange(outgoing, limit: limits.maximumBodySize)
      }
    }

    /// A session and its delegate. `URLSession` retains its delegate until the session is invalidated, which `deinit`
    /// does when the last copy of the transport is released.
    private final class Owner: Sendable {
      private let exchanges = Exchanges()
      private let session: URLSession

      init(_ configuration: URLSessionConfiguration) {
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        self.session = URLSession(configuration: configuration, delegate: self.exchanges, delegateQueue: nil)
      }

      deinit {
        self.session.finishTasksAndInvalidate()
      }

      /// - Parameter limit: The maximum size of the response body, in bytes.
      func exchange(_ request: URLRequest, limit: Int) async -> Result<TransportResponse, TransportError> {
        let task = self.session.dataTask(with: request)
        return await withTaskCancellationHandler {
          await withCheckedContinuation { self.exchanges.begin(task, limit: limit, $0) }
        } onCancel: {
          task.cancel()
        }
      }
    }
  }

  extension URLRequest {
    /// Creates the request with its scheme, authority, and path combined into one URL.
    init?(_ request: HTTPRequest, body: [UInt8], timeout: Duration) {
      guard let url = URL(string: "\(request.scheme ?? "https")://\(request.authority ?? "")\(request.path ?? "/")") else {
        return nil
      }
      // URLSession's timeout is longer than that of `enforcingTimeout`, so that the latter expires first.
      self.init(url: url, timeoutInterval: Double(timeout.components.seconds) + 1)
      self.httpMethod = request.method.rawValue
      self.httpShouldHandleCookies = false
      for field in request.headerFields { self.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
      if !body.isEmpty { self.httpBody = Data(body) }
    }
  }
#endif
