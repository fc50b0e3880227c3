// A web service that acts at an API for the person who set it up. They sign in once, on another device, when it first starts; after that
// it renews its tokens by itself, over restarts, and any number of its processes share one session.
//
//     swift run status https://id.example.com status https://api.example.com       answers on http://127.0.0.1:8090/status
import HTTPTypes
import Hummingbird
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop

guard (4...5).contains(CommandLine.arguments.count) else { fatalError("usage: status ISSUER CLIENT-ID API [PORT]") }
guard let port = CommandLine.arguments.count == 5 ? Int(CommandLine.arguments[4]) : 8090 else { fatalError("a port is a number") }
let api = try EndpointURL(CommandLine.arguments[3])

let transport = AsyncHTTPClientTransport()
let client = OAuthClient(
  issuer: try Issuer(CommandLine.arguments[1]), clientID: CommandLine.arguments[2], store: .platformDefault, transport: transport,
  resources: [api])

let session: Session
if let restored = try await client.restoreSession() {
  session = restored
} else {
  session = try await client.signInOnAnotherDevice(SignInOptions(scopes: [.offlineAccess])) { prompt in
    print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
  }
}

let router = Router()
router.get("status") { _, _ -> Response in
  let words = api.value.split(separator: "/").map(String.init)
  do {
    let request = HTTPRequest(method: .get, scheme: String(words[0].dropLast()), authority: words[1], path: "/status")
    let answer = try await session.send(request)
    return Response(status: answer.head.status, body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
  } catch SessionError.signInRequired(let requirement) {
    // An operator has to sign in again; the visitor is told nothing of it.
    print(requirement.explanation)
    return Response(status: .serviceUnavailable)
  }
}
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
await transport.shutdown()
