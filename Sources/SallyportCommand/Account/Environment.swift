import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop
import SallyportProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the commands work with.
enum CommandEnvironment {
  static var store: PlatformTokenStore { .platformDefault }

  /// Starts nothing before the first request. `SSL_CERT_FILE` names another certificate authority, as for other programs.
  static var transport: AsyncHTTPClientTransport {
    let trustRoots = getenv("SSL_CERT_FILE").map { [String(cString: $0)] }
    return AsyncHTTPClientTransport(trustRoots: trustRoots?.filter { !$0.isEmpty }.nonEmpty)
  }

  static func client(for account: Account) -> OAuthClient {
    OAuthClient(
      issuer: account.issuer, clientID: account.clientID, store: self.store, transport: self.transport, appName: "sallyport")
  }
}

extension Array {
  fileprivate var nonEmpty: Self? { self.isEmpty ? nil : self }
}
