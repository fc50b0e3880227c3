public import HTTPTypes

/// Sends HTTP requests. The library sends all its requests through a transport.
///
/// An implementation must not follow redirects, store cookies, or add credentials. It must verify TLS certificates and
/// enforce the limits.
public protocol Transport: Sendable {
  /// Sends a request and returns the response regardless of its status.
  /// - Parameters:
  ///   - request: The request, with a scheme, an authority, and a path.
  ///   - body: The body, or an empty array for none.
  ///   - limits: The maximum size of the response and the timeout.
  /// - Throws: ``TransportError``
  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse
}

/// A response with its complete body.
public struct TransportResponse: Sendable {
  /// The status and header fields.
  public var head: HTTPResponse
  /// The complete body.
  public var body: [UInt8]

  /// Creates a response.
  public init(head: HTTPResponse, body: [UInt8]) {
    self.head = head
    self.body = body
  }
}

/// The limits for reading a response.
public struct TransferLimits: Sendable {
  /// The maximum size of the response's body, in bytes.
  public var maximumBodySize: Int
  /// The timeout for the whole exchange.
  public var timeout: Duration

  /// Creates limits.
  /// - Parameters:
  ///   - maximumBodySize: The maximum size of the body in bytes.
  ///   - timeout: The timeout for the whole exchange.
  public init(maximumBodySize: Int = 1 << 20, timeout: Duration = .seconds(30)) {
    self.maximumBodySize = maximumBodySize
    self.timeout = timeout
  }

  /// The limits for metadata and key documents.
  public static let document = TransferLimits(maximumBodySize: 512 << 10, timeout: .seconds(10))
}

/// Why no complete response was received.
public enum TransportError: Error, Equatable, Sendable {
  /// The connection failed, or the request could not be sent. The reason contains no secrets.
  case unreachable(reason: String)
  /// The peer's certificate is not trusted.
  case untrusted(reason: String)
  case timedOut
  case bodyTooLarge
  case cancelled
}

extension TransportError {
  /// The reason of ``untrusted(reason:)`` if the certificate is valid, but for another host.
  package static let otherHostReason = "it is for another host"
}
