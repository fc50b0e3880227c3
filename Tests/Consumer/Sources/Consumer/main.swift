import Sallyport
import SallyportDesktop

/// Without the trait "AsyncHTTPClient", the app provides its own transport.
func accessToken(transport: some Transport) async throws -> String {
  let client = OAuthClient(
    issuer: try Issuer("https://id.example.com"), clientID: "notes", store: .platformDefault(application: "com.example.notes"),
    transport: transport)
  let session: OAuthSession
  if let restored = try await client.restoreSession() {
    session = restored
  } else {
    session = try await client.signIn(scopes: [.openID, .offlineAccess], via: .systemBrowser, receiver: LoopbackReceiver())
  }
  return try await session.accessToken(minimumLifetime: .seconds(60)).reveal()
}

print("An app that could sign in: \(try Issuer("https://id.example.com"))")
