// A web service that calls an API on behalf of the operator. The operator signs in once, on another device, when the
// service starts for the first time. Afterward, the service refreshes its tokens itself, across restarts. Any number of
// processes on the machine can share the session.
//
//     swift run status https://id.example.com status https://api.example.com
//
// Then open http://127.0.0.1:8090/status.
import Foundation
import HTTPTypes
import Hummingbird
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop

// A slice keeps the indices of its array, so `arguments[1]` is the first argument.
let arguments = CommandLine.arguments.dropFirst()
guard (3...4).contains(arguments.count), let issuer = try? Issuer(arguments[1]), let api = try? EndpointURL(arguments[3]),
  let port = arguments.count == 4 ? UInt16(arguments[4]).map(Int.init) : 8090
else {
  FileHandle.standardError.write(Data("usage: status ISSUER CLIENT-ID API [PORT]\n".utf8))
  exit(64)  // EX_USAGE in sysexits.h
}

let transport = AsyncHTTPClientTransport()
let client = OAuthClient(
  issuer: issuer, clientID: arguments[2], store: .platformDefault(application: "com.example.status"), transport: transport)

let session: OAuthSession
if let restored = try await client.restoreSession() {
  session = restored
} else {
  // The API checks the audience of a token, so request tokens for this API (RFC 8707). The session then sends these
  // tokens only to the API's origin. For an API that doesn't check the audience, pass `tokenOrigins: [api]` to the
  // client instead.
  let options = SignInOptions(scopes: [.offlineAccess], resources: [try ResourceIndicator(api.value)])
  session = try await client.signInOnAnotherDevice(options) { prompt in
    print("Open \(prompt.verificationURI.value) and enter \(prompt.userCode).")
  }
}

let router = Router()
router.get("status") { _, _ -> Response in
  // The first two parts are the scheme with its colon, and the host with its port, if there is one.
  let urlParts = api.value.split(separator: "/").map(String.init)
  do {
    let request = HTTPRequest(method: .get, scheme: String(urlParts[0].dropLast()), authority: urlParts[1], path: "/status")
    let response = try await session.send(request)
    return Response(status: response.head.status, body: .init(byteBuffer: ByteBuffer(bytes: response.body)))
  } catch SessionError.signInRequired(let requirement) {
    // The operator must sign in again. The response doesn't reveal this.
    print(requirement.explanation)
    return Response(status: .serviceUnavailable)
  }
}
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
await transport.shutdown()
