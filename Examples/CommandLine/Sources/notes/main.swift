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
    session = try await client.signIn(
      SignInOptions(scopes: [.openID, .offlineAccess]),
      redirects: [
        .loopback(via: .automatic, receiver: LoopbackReceiver()),
        .noBrowser { client, options throws(SignInError) in
          try await client.signInOnAnotherDevice(options) { prompt in
            print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
          }
        },
      ])
  }
  print("Signed in as \(await session.claims?.subject ?? "somebody") at \(session.issuer)")
}
