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

/// What the commands work with.
enum CommandEnvironment {
  static var store: PlatformTokenStore { .platformDefault }

  /// Starts nothing before the first request. `SSL_CERT_FILE` names another certificate authority, as for other programs.
  static var transport: AsyncHTTPClientTransport {
    AsyncHTTPClientTransport(trustRoots: self.variable("SSL_CERT_FILE").map { [$0] })
  }

  /// What `SALLYPORT_PROFILE` names; an empty one counts as unset.
  static var profile: ProfileName? {
    get throws {
      guard let text = self.variable("SALLYPORT_PROFILE") else { return nil }
      guard let name = ProfileName(text) else { throw ValidationError("SALLYPORT_PROFILE is not the name of a profile.") }
      return name
    }
  }

  /// An environment variable; an empty one counts as unset.
  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The client that an account was signed in to with. Needs no network.
  static func client(for account: Account) async throws(CommandFailure) -> OAuthClient {
    let transport = self.transport
    do {
      // With what proves that it is this installation; one that is registered anew by now has other tokens.
      if account.isRegistered,
        let client = try await Installation.registration(at: account.issuer, over: transport)
          .storedClient(account: account.sessionName), client.clientID == account.clientID
      {
        return client
      }
    } catch {
      throw CommandFailure(.failed, error.words)
    }
    return self.client(for: account, over: transport)
  }

  /// The client of an account that nothing but its identifier makes.
  static func client(for account: Account, over transport: some Transport) -> OAuthClient {
    OAuthClient(
      issuer: account.issuer, clientID: account.clientID, store: self.store, transport: transport, appName: Installation.name,
      account: account.sessionName, dpop: account.isBound ? .required : .never)
  }
}
