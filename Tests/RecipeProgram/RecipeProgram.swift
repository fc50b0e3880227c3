import Foundation
import Sallyport
import SallyportAsyncHTTPClient
import SallyportTesting

/// Runs the code of a page of the documentation: `RecipeProgram PAGE REDIRECT-URI PORT`.
///
/// The code of a page can create its own token store and open the system's browser. The test's environment variables
/// then determine which store and which browser are used. Code that uses `store`, `browser`, or `receiver` without
/// declaring them gets the values of ``RecipeContext``: a store in memory, and a simulated user who allows every
/// request.
@main
struct RecipeProgram {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { throw UsageError(name: "") }
    let transport = AsyncHTTPClientTransport()
    let browser = ScriptedUserAgent(transport, redirectURI: try RedirectURI(arguments[2]))
    let context = RecipeContext(
      issuer: try Issuer("https://id.example.com"), store: MemoryTokenStore(), transport: transport, browser: browser,
      port: arguments[3])
    try await run(arguments[1], context)
  }
}
