// Signs a person in with their browser, once, and prints who they are: swift run notes https://id.example.com notes
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
        issuer: try Issuer(self.issuer), clientID: self.clientID, store: .platformDefault, transport: transport, appName: "Notes")
      var session = try await client.restoreSession()
      if session == nil {
        // A browser here, else a code for another device, else an address that is pasted.
        session = try await client.signIn(
          SignInOptions(scopes: [.openID, .offlineAccess]),
          redirects: .automatic { invitation in
            switch invitation {
            case .device(let prompt): print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
            case .page(let page): print("Open \(page.value)\nand paste the address that it leads to.")
            case .trying, .paste: break
            }
          })
      }
      print("Signed in as \(await session?.claims?.subject ?? "somebody") at \(self.issuer)")
    }
  }
}
