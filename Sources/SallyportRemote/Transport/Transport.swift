public import HTTPTypes

/// Sends single HTTP requests. The one way of this library to the network.
///
/// An implementation follows no redirect, keeps no cookie, adds no credential of its own, checks TLS certificates, and stops
/// reading where the limits say.
public protocol Transport: Sendable {
  /// Sends one request and returns the answer whatever its status.
  /// - Parameters:
  ///   - request: with scheme, authority and path.
  ///   - body: empty for none.
  ///   - limits: how much and how long to read.
  /// - Throws: ``TransportError``
  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse
}

/// An answer with its whole body.
public struct TransportResponse: Sendable {
  public var head: HTTPResponse
  public var body: [UInt8]

  public init(head: HTTPResponse, body: [UInt8]) {
    self.head = head
    self.body = body
  }
}

/// How much of an answer is read, and for how long.
public struct TransferLimits: Sendable {
  /// In bytes.
  public var maximumBodySize: Int
  /// For the whole exchange.
  public var timeout: Duration

  public init(maximumBodySize: Int = 1 << 20, timeout: Duration = .seconds(30)) {
    self.maximumBodySize = maximumBodySize
    self.timeout = timeout
  }

  /// For metadata and key documents.
  public static let document = TransferLimits(maximumBodySize: 512 << 10, timeout: .seconds(10))
}

/// Why no answer came.
public enum TransportError: Error, Equatable, Sendable {
  /// No connection, or one that broke; the reason is the system's and holds no secret.
  case unreachable(reason: String)
  /// The peer's certificate was not accepted.
  case untrusted(reason: String)
  case timedOut
  case bodyTooLarge
  case cancelled
}
