import Sallyport
import SallyportDesktop
import SallyportProtocol

/// Restores a session in this process and prints its access token, with or without a refresh. The session is in an
/// encrypted file store that other processes use too.
struct RefreshProbe {
  private let client: OAuthClient

  init(folder: String, issuer: String) throws {
    self.client = OAuthClient(
      issuer: try Issuer(issuer), clientID: "probe", store: EncryptedFileStore(folder: folder), transport: ProbeTransport())
  }

  /// Restores the session, prints `ready`, waits for a line of input, and prints the access token or an error.
  /// - Parameters:
  ///   - command: `access` prints the access token. `refresh` refreshes the session first. `refresh-forever` repeats
  ///     the refresh and the output until an error occurs.
  ///   - resource: The API that the token is for, or `nil` for the session's own token.
  func run(_ command: String, _ resource: String?) async throws {
    guard let session = try await self.client.restoreSession() else { return StoreProbe.printLine("nobody is signed in") }
    StoreProbe.printLine("ready")
    _ = readLine()
    let target = TokenTarget(resources: try resource.map { [try ResourceIndicator($0)] } ?? [])
    do {
      repeat {
        if command != "access" { try await session.refresh() }
        StoreProbe.printLine(try await session.accessToken(for: target, minimumLifetime: .zero).value.reveal())
      } while command == "refresh-forever"
    } catch {
      StoreProbe.printLine("\(error)")
    }
  }
}
