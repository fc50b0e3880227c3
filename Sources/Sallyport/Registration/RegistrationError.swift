public import SallyportProtocol
public import SallyportRemote

/// Why a registration failed (RFC 7591 and RFC 7592). No case contains a credential or a whole response. A case can
/// contain single values of the response, such as the server's description of the error.
public enum RegistrationError: Error, Equatable, Sendable {
  /// The server's metadata could not be read or is invalid.
  case discovery(DiscoveryError)
  /// The server has no registration endpoint.
  case notOffered
  /// The app's client metadata is invalid. No registration request was sent.
  case metadata(ClientMetadataError)
  /// No complete response was received.
  case network(TransportError)
  /// The server returned an error response (RFC 7591 §3.2.2).
  case refused(OAuthErrorResponse)
  /// The server is temporarily unavailable or limits requests (status 429 or 5xx).
  case unavailable(status: Int)
  /// The server's response is invalid.
  case response(RegistrationResponseError)
  /// This installation has no registration to read or delete.
  case notRegistered
  /// The server doesn't offer management of the registration.
  case notManageable
  /// The server no longer has the registration.
  case forgotten
  /// The token store failed.
  case store(TokenStoreError)
  /// The app canceled the call.
  case cancelled
  /// An unexpected error, for example an error other than ``TokenStoreError`` from ``TokenStore/withLease(on:_:)`` of
  /// the app's own store.
  /// - Parameter reason: The name of the error's type, or what could not be encoded as JSON.
  case other(reason: String)

  init(any error: any Error) {
    switch error {
    case let error as RegistrationError: self = error
    case is CancellationError: self = .cancelled
    case DiscoveryError.document(.transport(.cancelled)), TransportError.cancelled: self = .cancelled
    case let error as DiscoveryError: self = .discovery(error)
    case let error as TransportError: self = .network(error)
    case let error as ClientMetadataError: self = .metadata(error)
    case let error as RegistrationResponseError: self = .response(error)
    case let error as TokenStoreError: self = .store(error)
    default: self = .other(reason: "\(type(of: error))")
    }
  }
}
