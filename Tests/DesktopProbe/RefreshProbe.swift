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
  func run(_ command: String) async throws {
    guard let session = try await self.client.restoreSession() else { return StoreProbe.say("nobody is signed in") }
    StoreProbe.say("ready")
    _ = readLine()
    do {
      repeat {
        if command != "access" { try await session.refresh() }
        StoreProbe.say(try await session.accessToken(minimumLifetime: .zero).reveal())
      } while command == "refresh-for-ever"
    } catch {
      StoreProbe.say("\(error)")
    }
  }
}
