import Glibc
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@testable import SallyportDesktop

/// Tests sign-ins whose process is killed while the user is in the browser. The processes share one encrypted file
/// store.
@Suite("Sign-ins that continue after their process was killed", .timeLimit(.minutes(2)))
struct ResumeProcessTests {
  private let home = TemporaryFolder()
  private let server: TokenServer

  init() throws {
    self.server = try TokenServer(hasReuseInterval: false)
  }

  private func probe(_ command: String, _ argument: String...) throws -> Probe {
    try Probe([try Probe.path, command, self.home.path + "/data", self.server.issuer] + argument)
  }

  /// Starts a sign-in, and kills its process after it has printed the URL.
  /// - Returns: The callback URL with the response to the request.
  private func beginAndKill(_ command: String, _ argument: String...) async throws -> String {
    let first = try Probe([try Probe.path, command, self.home.path + "/data", self.server.issuer] + argument)
    let url = try #require(await first.line())
    first.kill()
    #expect(await first.lines().isEmpty)
    let query = try #require(url.split(separator: "?", maxSplits: 1).dropFirst().first, "\(url)")
    let request = try FormParameters(parsing: query)
    // `TokenServer` accepts a code that equals the challenge of its authorization request.
    let response = FormParameters.encode([
      (name: "code", value: request["code_challenge"] ?? ""), (name: "state", value: request["state"] ?? ""),
      (name: "iss", value: self.server.issuer),
    ])
    return "\(try #require(request["redirect_uri"]))?\(response)"
  }

  private func port(of response: String) throws -> UInt16 {
    try #require(URIComponents(response)?.port)
  }

  @Test(
    "C-28: a loopback sign-in whose process was killed continues in the next process on the same port, even repeatedly",
    arguments: ["begin", "sign-in"])
  func loopback(_ command: String) async throws {
    // The system chose the port, so a connection of another test or program can get it between two processes. The
    // sign-in then cannot continue, as the next test shows, and this test begins again with an empty store.
    for _ in 1...5 where try await Self().continues(command) { return }
    Issue.record("the port was in use in each of five attempts")
  }

  /// Kills two processes, and finishes the sign-in in the third.
  /// - Returns: False if another socket has the port.
  private func continues(_ command: String) async throws -> Bool {
    let response = try await self.beginAndKill(command)
    let port = try self.port(of: response)
    #expect(!TestSocket.canConnect(port: port))
    let listening = "listening on \(response.prefix { $0 != "?" })"
    let second = try self.probe("resume")
    let line = try #require(await second.line())
    if line.contains("in use") { return false }
    #expect(line == listening)
    second.kill()
    #expect(await second.lines().isEmpty)

    let third = try self.probe("resume")
    let nextLine = try #require(await third.line())
    if nextLine.contains("in use") { return false }
    #expect(nextLine == listening)
    let other = response.replacing("state=", with: "state=x")
    #expect(await TestBrowser.get(other).hasPrefix("HTTP/1.1 404 "))
    #expect(await TestBrowser.get(response).contains("You are signed in"))
    #expect(await third.lines() == ["a-1"])
    #expect(!TestSocket.canConnect(port: port))
    #expect(try await self.probe("resume").lines() == ["no sign-in waits"])
    return true
  }

  @Test("C-28: if the port is in use, the error names it, and the sign-in can be resumed when the port is free")
  func portTaken() async throws {
    let response = try await self.beginAndKill("begin")
    let port = try self.port(of: response)
    let other = try LoopbackBinding.bind([.ipv4], port: port)
    let line = try #require(try await self.probe("resume").line())
    #expect(line.contains("port \(port)") && line.contains("in use"), "\(line)")
    other.close()

    let next = try self.probe("resume")
    #expect(await next.line()?.hasPrefix("listening on ") == true)
    #expect(await TestBrowser.get(response).contains("You are signed in"))
    #expect(await next.line() == "a-1")
  }

  @Test(
    "C-28: a redirect that opens the app finishes the sign-in of a process that was killed",
    arguments: ["com.example.app:/oauth2redirect/issuer", "https://app.example/oauth2redirect/issuer"])
  func appRedirect(_ redirectURI: String) async throws {
    let response = try await self.beginAndKill("begin", redirectURI)
    #expect(response.hasPrefix("\(redirectURI)?"))
    #expect(try await self.probe("resume", "\(redirectURI)?code=evil&state=guess").line()?.contains("RFC 8252 §8.9") == true)
    #expect(try await self.probe("resume", response).lines() == ["a-1"])
    #expect(try await self.probe("resume", response).line()?.contains("already received its response") == true)
  }
}
