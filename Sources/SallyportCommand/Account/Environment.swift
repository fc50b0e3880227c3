import ArgumentParser
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop
import SallyportProtocol
import SallyportRemote

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The store, transport, and environment variables that the commands use.
enum CommandEnvironment {
  static var store: PlatformTokenStore { .platformDefault(application: .sallyport) }

  /// The transport, which opens no connection before the first request. `SSL_CERT_FILE` names a file with the
  /// certificate authorities to trust instead of the system's.
  static var transport: any Transport {
    let transport = AsyncHTTPClientTransport(trustRoots: self.variable("SSL_CERT_FILE").map { [$0] })
    return Verbosity.isOn ? VerboseTransport(base: transport) : transport
  }

  /// The profile that `SALLYPORT_PROFILE` names. An empty value counts as unset.
  static var profile: ProfileName? {
    get throws {
      guard let text = self.variable("SALLYPORT_PROFILE") else { return nil }
      guard let name = ProfileName(text) else {
        throw ValidationError("SALLYPORT_PROFILE is not a valid profile name: \"\(Printable.text(text))\".")
      }
      return name
    }
  }

  /// The value of an environment variable. An empty value counts as unset.
  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The client of an account. Needs no network access.
  static func client(for account: Account) async throws(CommandFailure) -> OAuthClient {
    let transport = self.transport
    Verbosity.note("Using the account \(account.summary).")
    let server = try account.configuration
    do {
      // Use the registration's credentials, unless this installation has been registered again with another client
      // identifier.
      if account.usesOwnRegistration,
        let client = try await Installation.registration(at: server, over: transport, dpop: account.dpopPolicy)
          .storedClient(account: account.sessionName, tokenOrigins: account.allTokenOrigins),
        client.clientID == account.clientID
      {
        return client
      }
    } catch {
      throw CommandFailure(error)
    }
    let secret = account.hasSecret ? try await StoredClientSecret.stored(for: account, in: self.store) : nil
    return try self.client(for: account, secret: secret, over: transport)
  }

  /// The client of an account, without the credentials of this installation's registration.
  /// - Parameter secret: The client secret, if the client has one.
  static func client(
    for account: Account, secret: Secret<String>?, over transport: some Transport
  ) throws(CommandFailure) -> OAuthClient {
    OAuthClient(
      server: try account.configuration, clientID: account.clientID, store: self.store, transport: transport,
      appName: Installation.name, account: account.sessionName, tokenOrigins: account.allTokenOrigins,
      dpop: account.dpopPolicy, clientSecret: secret.map { .insecureShared($0) })
  }
}
