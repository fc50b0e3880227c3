// An MCP (Model Context Protocol) server with one tool, which describes its caller. A client without a token gets the
// URL of the metadata that names the authorization server. The sign-in itself takes place between the client and the
// authorization server.
//
//     sallyportd serve                               # an authorization server at http://localhost:8080
//     swift run whoami http://localhost:8080         # this server, at http://127.0.0.1:8090/mcp
//     swift run tools http://127.0.0.1:8090/mcp      # a client; see Examples/MCPClient
import Foundation
import Hummingbird
import SallyportAsyncHTTPClient
import SallyportHummingbird
import SallyportResource

// `dropFirst` keeps the indices, so the issuer is at index 1, and the port at index 2.
let arguments = CommandLine.arguments.dropFirst()
guard (1...2).contains(arguments.count), let issuer = try? Issuer(arguments[1]),
  let port = arguments.count == 2 ? UInt16(arguments[2]).map(Int.init) : 8090
else {
  FileHandle.standardError.write(Data("usage: whoami ISSUER [PORT]\n".utf8))
  exit(64)  // EX_USAGE in sysexits.h
}

let transport = AsyncHTTPClientTransport()
let api = try ResourceServer(
  EndpointURL("http://127.0.0.1:\(port)/mcp"), trusting: [TrustedIssuer(issuer)],
  describedBy: ResourceDescription(name: "Who am I", scopes: "profile"), transport: transport)

let router = Router(context: ResourceRequestContext.self)
router.addMetadata(of: api)
router.group("mcp").add(middleware: RequireAccessToken(api, scope: "profile"))
  .post { request, context -> Response in
    let message = try await request.decode(as: Message.self, context: context)
    // A message without an ID is a notification, which has no response.
    guard let id = message.id else { return Response(status: .accepted) }
    return try Reply(id: id, to: message, caller: context.verifiedAccessToken).response(from: request, context: context)
  }
  // This server offers no event stream.
  .get { _, _ in Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }

try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
await transport.shutdown()
