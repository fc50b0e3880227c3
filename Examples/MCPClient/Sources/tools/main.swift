// Lists the tools of an MCP server, given only its URL. The MCP server's metadata names the authorization server, and
// the client registers itself there.
//
//     swift run tools https://mcp.example.com/mcp
import Foundation
import HTTPTypes
import Sallyport
import SallyportAsyncHTTPClient
import SallyportDesktop

guard CommandLine.arguments.count == 2, let server = try? EndpointURL(CommandLine.arguments[1]) else {
  FileHandle.standardError.write(Data("usage: tools URL\n".utf8))
  exit(64)  // EX_USAGE in sysexits.h
}

/// Sends a JSON-RPC message with POST, as the Streamable HTTP transport of MCP requires.
func post(_ message: String, session: OAuthSession) async throws -> TransportResponse {
  let (scheme, authority, path) = parts(server)
  var request = HTTPRequest(method: .post, scheme: scheme, authority: authority, path: path)
  request.headerFields[.contentType] = "application/json"
  request.headerFields[.accept] = "application/json, text/event-stream"
  return try await session.send(request, body: Array(message.utf8))
}

/// Splits a URL into its scheme, authority, and path. `https://host/path` has the pieces `https:`, an empty text,
/// `host`, and `path`.
func parts(_ url: EndpointURL) -> (scheme: String, authority: String, path: String) {
  let pieces = url.value.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
  return (String(pieces[0].dropLast()), pieces[2], "/" + (pieces.count > 3 ? pieces[3] : ""))
}

try await AsyncHTTPClientTransport.withTransport { transport in
  let api = ResourceClient(
    server, app: AppIdentity(metadata: ClientMetadata(native: "Tools")),
    store: .platformDefault(application: "com.example.tools"), transport: transport)
  let session: OAuthSession
  if let restored = try await api.restoreSession() {
    session = restored
  } else {
    session = try await api.signIn(redirects: [.loopback(via: .systemBrowser, receiver: LoopbackReceiver())])
  }
  let initialize = """
    {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
    "clientInfo":{"name":"tools","version":"0.1.0"}}}
    """
  _ = try await post(initialize, session: session)
  let response = try await post(#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#, session: session)
  print(String(decoding: response.body, as: UTF8.self))
}
