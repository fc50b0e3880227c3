import Foundation
import Sallyport
import SallyportAsyncHTTPClient
import SallyportTesting

/// Runs the code of a page of the documentation as it is: `RecipeProgram PAGE REDIRECT-URI PORT`.
///
/// The code of a page can create its own token store and open the system's browser. Environment variables of the test then
/// decide which. If the code uses the values `store`, `browser`, or `receiver` without declaring them, they are those of
/// ``RecipeContext``: a store in memory, and a simulated user who allows every request.
@main
struct RecipeProgram {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { throw UnknownPage(name: "") }
    let transport = AsyncHTTPClientTransport()
    let browser = ScriptedUserAgent(transport, redirectURI: try RedirectURI(arguments[2]))
    let context = RecipeContext(
      issuer: try Issuer("https://id.example.com"), store: MemoryTokenStore(), transport: transport, browser: browser,
      port: arguments[3])
    try await run(arguments[1], context)
  }
}
