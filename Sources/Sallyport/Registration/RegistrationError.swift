public import SallyportProtocol
public import SallyportRemote

/// Why an app is not registered, RFC 7591 and RFC 7592. No case carries a credential or a body.
public enum RegistrationError: Error, Equatable, Sendable {
  /// The server's metadata could not be read or break a rule.
  case discovery(DiscoveryError)
  /// The server has no registration endpoint.
  case notOffered
  /// What the app says of itself breaks a rule; nothing was sent.
  case metadata(ClientMetadataError)
  case network(TransportError)
  /// The server refused, RFC 7591 §3.2.2.
  case refused(ServerRefusal)
  /// The server is in trouble or asks for patience.
  case unavailable(status: Int)
  /// The server's answer broke a rule.
  case response(RegistrationResponseError)
  /// Nothing is registered that could be read, changed or deleted.
  case notRegistered
  /// The server gave no way to manage the registration.
  case notManageable
  /// The server does not know the registration any more.
  case forgotten
  case store(TokenStoreError)
  /// The program stopped the call.
  case cancelled
  /// A store of the app's own failed in a way of its own.
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

/// Which rule the answer to a registration breaks, RFC 7591 §3.2.1 and RFC 7592 §3.
public enum RegistrationResponseError: Error, Equatable, Sendable {
  /// A status that neither registers nor refuses, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  case malformed
  /// An identifier that is empty, too long, or not in visible ASCII (RFC 6749 Appendix A.1).
  case clientIDInvalid
  /// Another client's registration.
  case clientIDChanged
  /// A secret or token that is too long or not in visible ASCII.
  case credentialMalformed
  /// The method that was registered needs a secret and there is none.
  case secretMissing
  /// The server registered a way to authenticate that was not asked for and is not known here.
  case methodNotSupported
  /// The server left every redirect URI out that was asked for.
  case redirectURIsMissing
  /// The address of the registration is none that a token may be sent to.
  case managementURI(EndpointURLError)
}
