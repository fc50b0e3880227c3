import BrowserDriver
import Foundation
import HTTPTypes
import QuirkServer
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import Synchronization
import Testing

/// Runs the Swift code on the documentation pages. `Scripts/recipes` copies the code into `RecipeProgram`, with the
/// changes that its description lists.
@Suite("The recipes for the SDK", .timeLimit(.minutes(5)))
struct SwiftRecipeTests {
  /// The host of the app's API. Tokens of a provider that has no API are sent to this host.
  private static let apiHost = "api.contoso.example"

  @Test("the Swift code on a provider's page signs in, and the API accepts its access token", arguments: Recipe.withSwift)
  func provider(_ recipe: Recipe) async throws {
    var provider = recipe.provider
    let port = "\(try freePort())"
    provider.client.id = recipe.clientID
    // The pages use port 8976, which may be in use on this machine, so the tests use a free port instead.
    if let uri = recipe.redirectURI { provider.client.redirectURIs = [uri.replacing("8976", with: port)] }
    let redirectURI = provider.client.redirectURIs[0]
    let quirks = try QuirkServer(provider, now: { .now() })
    let site = QuirkSite(server: quirks, environment: [:])
    let hosts = Set(provider.hosts + [AppServer.host, Self.apiHost])
    try await withSite(AppServer(provider: quirks), hosts: hosts.sorted()) { user, _ in
      let token = try Self.token(from: await Self.execute(recipe.page, user, redirectURI, port))
      #expect(try await site.apiStatus(token) == 200)
    }
  }

  @Test(
    "the Swift code in the README and in FirstSteps signs in, and the API accepts its access token",
    arguments: ["README", "FirstSteps"])
  func general(_ page: String) async throws {
    let api = FakeAPI()
    let server = FakeAuthorizationServer(issuer: try Issuer("https://id.example.com"), now: Date()) { request, _ in
      api.record(request.headerFields[.authorization])
      guard request.method == .delete else { return TransportResponse(head: HTTPResponse(status: .ok), body: [1]) }
      return TransportResponse(head: api.responseToNextDeletion(), body: [])
    }
    try await withSite(server, hosts: ["id.example.com", "api.example.com", "billing.example.com"]) { user, _ in
      let finished = try await Self.execute(page, user, "com.example.notes:/callback", "0")
      let token = try Self.token(from: finished)
      if page == "FirstSteps" {
        #expect(api.authorizations.first == "Bearer \(token)")
        let statuses = finished.output.split(separator: "\n").count { $0.hasPrefix("200 ") }
        #expect(statuses == 3, "three requests must succeed, including one after a step-up and one to another API: \(finished)")
      } else {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example.com", path: "/")
        request.headerFields[.authorization] = "Bearer \(token)"
        #expect(try await server.send(request, body: [], limits: TransferLimits()).head.status == .ok)
      }
    }
  }

  /// Runs the code of a page in the user's home folder. curl replaces the browser.
  private static func execute(_ page: String, _ user: UserHome, _ redirectURI: String, _ port: String) async throws
    -> CommandResult
  {
    let program = "cd '\(user.folder)' && exec '\(BuildFolder.command("RecipeProgram"))' \(page) '\(redirectURI)' \(port)"
    var command = ChildCommand("/bin/sh", ["-ec", program], environment: user.environment)
    command.environment?["BROWSER"] = HTTPProvider.browserCommand
    return try await run(command, folder: user.folder)
  }

  private static func token(from finished: CommandResult) throws -> String {
    guard finished.status == .exited(0), let token = finished.output.firstMatch(of: /(?m)^token: (.+)$/)?.1 else {
      throw UnexpectedResult("the code failed: \(finished)")
    }
    return String(token)
  }
}

extension Recipe {
  /// One recipe for each provider page with Swift code.
  ///
  /// For Apple, Slack, and Cognito, this is a recipe with the redirect URI of its ``provider``: `sallyport` does not
  /// support Apple and Slack, and the command lines for Cognito use a different redirect URI than the Swift code. For
  /// every other page, it is the recipe in ``all`` that has no ``change``.
  static var withSwift: [Recipe] {
    let withRedirectURIOfProvider: [Recipe] = [
      Recipe(page: "Apple", provider: .apple, clientID: "com.contoso.notes.web"),
      Recipe(page: "Slack", provider: .slack, clientID: "2141029472.691202649728"),
      Recipe(page: "Cognito", provider: .cognito, clientID: "1example23456789"),
    ]
    return Self.all.filter { $0.change == nil && $0.page != "Cognito" } + withRedirectURIOfProvider
  }
}

/// An API that records the `Authorization` fields of its requests and counts its DELETE requests.
private final class FakeAPI: Sendable {
  private let state = Mutex((authorizations: [String](), deletions: 0))

  var authorizations: [String] { self.state.withLock { $0.authorizations } }

  func record(_ authorization: String?) {
    self.state.withLock { $0.authorizations.append(authorization ?? "") }
  }

  /// Returns the response to a DELETE request. The first request is rejected, because it requires an additional scope.
  func responseToNextDeletion() -> HTTPResponse {
    let number = self.state.withLock { state in
      state.deletions += 1
      return state.deletions
    }
    guard number == 1 else { return HTTPResponse(status: .ok) }
    return HTTPResponse(
      status: .forbidden, headerFields: [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="notes:delete""#])
  }
}

/// A provider, and the server of an app. The app's server returns the client secret for Apple.
private struct AppServer: Transport {
  static let host = "api.contoso.com"
  let provider: QuirkServer

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    guard request.authority == Self.host else { return try await self.provider.send(request, body: body, limits: limits) }
    return TransportResponse(head: HTTPResponse(status: .ok), body: Array(Self.appleSecret.utf8))
  }

  /// A JWT with the header and the claims that `QuirkyProvider.apple` requires. The signature is not checked.
  private static var appleSecret: String {
    let header = #"{"alg":"ES256","kid":"A1"}"#
    let claims = #"{"iss":"T1","sub":"com.contoso.notes.web","aud":"https://appleid.apple.com","exp":1900000000}"#
    return "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8))).c2ln"
  }
}
