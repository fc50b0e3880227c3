import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SallyportRemote

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

extension HTTPClientRequest {
  /// Creates the request with its scheme, authority, and path combined into one URL.
  init(_ request: HTTPRequest, body: [UInt8]) {
    self.init(url: "\(request.scheme ?? "https")://\(request.authority ?? "")\(request.path ?? "/")")
    self.method = HTTPMethod(rawValue: request.method.rawValue)
    for field in request.headerFields { self.headers.add(name: field.name.rawName, value: field.value) }
    if !body.isEmpty { self.body = .bytes(body) }
  }
}

extension HTTPResponse {
  /// Copies the status and header fields. Fields with invalid names are left out.
  init(_ response: HTTPClientResponse) {
    self.init(status: Status(code: Int(response.status.code)))
    for (name, value) in response.headers {
      guard let name = HTTPField.Name(name) else { continue }
      self.headerFields.append(HTTPField(name: name, value: value))
    }
  }
}

extension TransportError {
  /// The system's error message.
  private static func systemMessage(_ error: IOError) -> String {
    strerror(error.errnoCode).map { String(cString: $0) } ?? "error \(error.errnoCode)"
  }

  /// Maps an error of AsyncHTTPClient or the libraries that it uses.
  init(_ error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled
    case is NIOTooManyBytesError: self = .bodyTooLarge
    case let error as HTTPClientError: self.init(error)
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: self = Self.failedHandshake(error)
    default: self = .unreachable(reason: Self.reason(error))
    }
  }

  /// Maps a failed TLS handshake. The text of a BoringSSL error ends with the name of the problem, such as
  /// `OPENSSL_internal:CERTIFICATE_VERIFY_FAILED`.
  private static func failedHandshake(_ error: any Error) -> TransportError {
    if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
      return .untrusted(reason: TransportError.otherHostReason)
    }
    if let error = error as? NIOSSLError, error == .uncleanShutdown {
      return .unreachable(reason: "the server closed the connection")
    }
    guard let problem = String(describing: error).matches(of: /OPENSSL_internal:([A-Z0-9_]+)/).last?.1 else {
      return .untrusted(reason: "it cannot be validated")
    }
    if problem == "CERTIFICATE_VERIFY_FAILED" { return .untrusted(reason: "it has expired, or its issuer is not trusted") }
    return .unreachable(reason: "the TLS handshake failed: \(problem.lowercased().replacing("_", with: " "))")
  }

  private init(_ error: HTTPClientError) {
    switch error {
    case .cancelled, .alreadyShutdown: self = .cancelled
    case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
      .getConnectionFromPoolTimeout:
      self = .timedOut
    default: self = .unreachable(reason: Self.reason(error))
    }
  }

  /// The error's text, shortened to 300 characters. The libraries include hosts, ports, and system errors in it, but no
  /// bodies or header fields.
  private static func reason(_ error: any Error) -> String {
    if let error = error as? IOError { return Self.systemMessage(error) }
    if let error = error as? NIOConnectionError {
      if let failure = error.connectionErrors.first?.error { return self.reason(failure) }
      if error.dnsAError != nil || error.dnsAAAAError != nil { return "the host name \(error.host) cannot be resolved" }
    }
    return String(String(describing: error).prefix(300))
  }
}
