import Sallyport
import SallyportDesktop
import SallyportProtocol

/// A session in a separate process, with an encrypted file store that other processes share.
struct RefreshProbe {
  private let client: OAuthClient

  init(folder: String, issuer: String) throws {
    self.client = OAuthClient(
      issuer: try Issuer(issuer), clientID: "probe", store: EncryptedFileStore(folder: folder), transport: ProbeTransport())
  }

  /// Prints that it is ready, waits for a line, and prints the result.
  /// - Parameter resource: The API that the token is for, or `nil` for the session's own token.
  func run(_ command: String, _ resource: String?) async throws {
    guard let session = try await self.client.restoreSession() else { return StoreProbe.say("nobody is signed in") }
    StoreProbe.say("ready")
    _ = readLine()
    let target = TokenTarget(resources: try resource.map { [try ResourceIndicator($0)] } ?? [])
    do {
      repeat {
        if command != "access" { try await session.refresh() }
        StoreProbe.say(try await session.accessToken(for: target, minimumLifetime: .zero).value.reveal())
      } while command == "refresh-for-ever"
    } catch {
      StoreProbe.say("\(error)")
    }
  }
}
