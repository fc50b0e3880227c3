// A web service that acts at an API for the person who set it up. They sign in once, on another device, when it first starts; after that
// it renews its tokens by itself, over restarts, and any number of its processes share one session.
//
//     swift run status https://id.example.com status https://api.example.com       answers on http://127.0.0.1:8090/status
import Foundation
import HTTPTypes
import Hummingbird
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop

let arguments = CommandLine.arguments.dropFirst()
guard (3...4).contains(arguments.count), let issuer = try? Issuer(arguments[1]), let api = try? EndpointURL(arguments[3]),
  let port = arguments.count == 4 ? UInt16(arguments[4]).map(Int.init) : 8090
else {
  FileHandle.standardError.write(Data("usage: status ISSUER CLIENT-ID API [PORT]\n".utf8))
  exit(64)
}

let transport = AsyncHTTPClientTransport()
let client = OAuthClient(issuer: issuer, clientID: arguments[2], store: .platformDefault, transport: transport)

let session: OAuthSession
if let restored = try await client.restoreSession() {
  session = restored
} else {
  // The API checks that a token is for it, so the server is asked for tokens with that audience (RFC 8707), and they go to no other
  // origin. For an API that does not look, the client's `tokenOrigins: [api]` would do.
  let options = SignInOptions(scopes: [.offlineAccess], resources: [try ResourceIndicator(api.value)])
  session = try await client.signInOnAnotherDevice(options) { prompt in
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
