// Signs a user in once, and prints the user's identifier. Usage: swift run notes ISSUER CLIENT-ID
import ArgumentParser
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop

@main struct Notes: AsyncParsableCommand {
  @Argument var issuer: String
  @Argument var clientID: String
  func run() async throws {
    try await AsyncHTTPClientTransport.withTransport { transport in
      let client = OAuthClient(
        issuer: try Issuer(self.issuer), clientID: self.clientID, store: .platformDefault(application: "com.example.notes"),
        transport: transport, appName: "Notes")
      var session = try await client.restoreSession()
      if session == nil {
        // Use a browser on this machine if possible, otherwise a code for another device, otherwise a pasted URL.
        session = try await client.signIn(
          SignInOptions(scopes: [.openID, .offlineAccess]),
          redirects: .automatic { prompt in
            switch prompt {
            case .device(let device): print("Open \(device.verificationURI.value) and enter \(device.userCode).")
            case .page(let page): print("Open \(page.value), sign in, and paste the final URL here.")
            case .trying, .paste: break
            }
          })
      }
      print("Signed in as \(await session?.claims?.subject ?? "an unknown user") at \(self.issuer)")
    }
  }
}
