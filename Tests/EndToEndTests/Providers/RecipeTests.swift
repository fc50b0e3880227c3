import BrowserDriver
import Foundation
import QuirkServer
import Testing

/// Runs the command lines on the documentation pages about the providers.
@Suite("Command-line recipes of the provider pages", .timeLimit(.minutes(5)))
struct RecipeTests {
  @Test("the command lines of a provider's page sign in, and send the token to the provider's API", arguments: Recipe.all)
  func commands(_ recipe: Recipe) async throws {
    var provider = recipe.provider
    // Replaces port 8976, which the pages use as an example.
    let port = "\(try freePort())"
    provider.client.id = recipe.clientID
    if let uri = recipe.redirectURI { provider.client.redirectURIs = [uri.replacing("8976", with: port)] }
    let page = try ProviderPage(recipe.page)
    (provider.api.url, provider.api.method) = try page.api
    var script = try page.script.replacing("8976", with: port)
    if let change = recipe.change {
      let changed = script.replacing(change.old, with: change.new, maxReplacements: 1)
      #expect(changed != script)
      script = changed
    }
    let lines = script
    try await withQuirkSite(provider) { user, site in
      let finished = try await Self.run(lines, user, site)
      #expect(finished.status == .exited(0), "\(lines)\n\(finished)")
      let token = try await user.sallyport("token")
      #expect(try await site.apiStatus(token.line) == 200, "\(token)")
      // The last line consists of two JSON objects: the API's response to curl, and its response to
      // `sallyport request`.
      let responses = finished.output.components(separatedBy: "\n").last?.components(separatedBy: "}{").count
      #expect(responses == 2, "\(finished)")
      let refreshed = try await user.sallyport("token", "--refresh")
      #expect(refreshed.status == .exited(0) && refreshed.line != token.line, "\(refreshed)")
    }
  }

  @Test("Apple and Slack accept no loopback redirect URIs, so login with them exits with 2", arguments: ["Apple", "Slack"])
  func impossible(page: String) async throws {
    try await withUser { user in
      let command = try ProviderPage(page).mentionedCommand.split(separator: " ").map(String.init)
      let refused = try await user.sallyport(Array(command.dropFirst()))
      #expect(refused.status == .exited(2), "\(refused)")
      #expect(refused.errorOutput.contains("\(page) does not accept loopback redirect URIs"), "\(refused)")
    }
  }

  /// Runs command lines in the user's home folder. curl replaces the browser. If the command lines contain `--device`,
  /// the code that the command shows is entered at the provider.
  private static func run(_ script: String, _ user: UserHome, _ site: QuirkSite) async throws -> CommandResult {
    let folder = user.folder
    if case .required(let secret, _) = site.server.provider.client.secret {
      try "\(secret)\n".write(toFile: "\(folder)/client-secret.txt", atomically: true, encoding: .utf8)
    }
    // `sallyport` is a shell function. A new script in PATH could not always be executed: while the test writes it, a
    // process that a parallel test starts may inherit the open file, and a file that is open for writing cannot be run.
    let command = "sallyport() { '\(BuildFolder.command("sallyport"))' \"$@\"; }"
    var shell = ChildCommand("/bin/sh", ["-ec", "\(command)\ncd '\(folder)'\n\(script)"], environment: user.environment)
    shell.environment?["BROWSER"] = HTTPProvider.browserCommand
    let process = try ChildProcess(shell, folder: folder)
    defer { process.end() }
    if script.contains("--device") { try await site.enterCode(shownBy: process) }
    return try await process.finish()
  }
}
