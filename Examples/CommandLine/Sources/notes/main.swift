// Signs a person in with their browser, once, and prints who they are.
//
//     swift run notes https://id.example.com notes
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop

guard CommandLine.arguments.count == 3 else { fatalError("usage: notes ISSUER CLIENT-ID") }
let issuer = try Issuer(CommandLine.arguments[1])

try await AsyncHTTPClientTransport.withTransport { transport in
  let client = OAuthClient(
    issuer: issuer, clientID: CommandLine.arguments[2], store: .platformDefault, transport: transport, appName: "Notes")
  let session: Session
  if let restored = try await client.restoreSession() {
    session = restored
  } else {
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
  print("Signed in as \(await session.claims?.subject ?? "somebody") at \(session.issuer)")
}
