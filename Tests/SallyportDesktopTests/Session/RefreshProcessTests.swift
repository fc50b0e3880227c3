import Glibc
import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@testable import SallyportDesktop

/// Tests refreshes by several processes that share one encrypted file store. Some processes are killed.
@Suite(.timeLimit(.minutes(5)))
struct RefreshProcessTests {
  private let home = TemporaryFolder()
  private var folder: String { self.home.path + "/data" }

  /// Stores a token set with an expired access token and the refresh token `r-1`, as if the user had signed in an hour
  /// ago.
  private func signIn(at server: TokenServer) async throws {
    let issuer = try Issuer(server.issuer)
    let response = TokenResponse(accessToken: Secret("a-1"), expiresIn: 60, refreshToken: Secret("r-1"), idToken: nil)
    let tokenSet = TokenSet(
      issuer: issuer, clientID: "probe", requestedScope: "notes", response: response, claims: nil,
      requestedAt: Timestamp.now() - .seconds(3600))
    let store = TokenSetStore(store: EncryptedFileStore(folder: self.folder), issuer: issuer, clientID: "probe")
    _ = try await store.replace(with: tokenSet)
  }

  /// Starts `DesktopProbe` with a command of `RefreshProbe`, and waits until it has restored the session.
  private func probe(_ command: String, _ server: TokenServer, resource: String? = nil) async throws -> Probe {
    let probe = try Probe([try Probe.path, command, self.folder, server.issuer] + (resource.map { [$0] } ?? []))
    #expect(await probe.line() == "ready")
    return probe
  }

  @Test(
    "C-30: fifty processes with one expired access token and one rotating refresh token cause one refresh, and all get a token")
  func fifty() async throws {
    let server = try TokenServer(hasReuseInterval: false)
    try await self.signIn(at: server)
    var probes: [Probe] = []
    for _ in 0..<50 { probes.append(try await self.probe("access", server)) }
    for probe in probes { probe.sendLine() }
    for probe in probes { #expect(await probe.line() == "a-2") }
    #expect(server.requests == 1)
    #expect(server.rotations == 1)
  }

  @Test("C-30: if processes need access tokens for three targets, each token is requested once, and no process is signed out")
  func severalTargets() async throws {
    let server = try TokenServer(hasReuseInterval: false)
    try await self.signIn(at: server)
    // `nil` stands for the session's own access token, which is not for a specific API.
    let apis = [nil, "urn:notes", "urn:billing"]
    var probes: [(api: String?, probe: Probe)] = []
    for number in 0..<12 {
      probes.append((apis[number % 3], try await self.probe("access", server, resource: apis[number % 3])))
    }
    for (_, probe) in probes { probe.sendLine() }
    for (api, probe) in probes {
      let token = try #require(await probe.line())
      // The server's tokens begin with the API that they are for, or with `a` if they are for no specific API.
      #expect(token.hasPrefix("\(api ?? "a")-"), "\(token)")
    }
    #expect(server.requests == 3)
    #expect(server.rotations == 3)
  }

  @Test(
    "C-30: with a reuse interval, the next process continues after a process was killed between the rotation and the response")
  func killedWithLease() async throws {
    let server = try TokenServer(hasReuseInterval: true)
    try await self.signIn(at: server)
    let rotated = server.withholdNextResponse()
    let first = try await self.probe("refresh", server)
    first.sendLine()
    await rotated.wait()
    // This process waits for the lease that the first process holds.
    let second = try await self.probe("access", server)
    second.sendLine()
    first.kill()
    #expect(await second.line() == "a-2")
    #expect(server.rotations == 1)
    #expect(server.requests == 2)
  }

  @Test("without a reuse interval, the error says that the response to a killed process was lost")
  func killedAtStrictServer() async throws {
    let server = try TokenServer(hasReuseInterval: false)
    try await self.signIn(at: server)
    let rotated = server.withholdNextResponse()
    let first = try await self.probe("refresh", server)
    first.sendLine()
    await rotated.wait()
    first.kill()
    let second = try await self.probe("refresh", server)
    second.sendLine()
    let line = try #require(await second.line())
    #expect(line.contains("after an earlier refresh response was lost") && line.contains("invalid_grant"))
    #expect(!line.contains("r-1"))
  }

  /// Kills a process that refreshes continuously, and then refreshes in another process.
  /// - Parameter yields: The number of times that the test yields the processor before the kill. Different numbers kill
  ///   the process at different points of a refresh.
  /// - Returns: The output of the other process: the access token or an error.
  private func refreshAfterKill(at server: TokenServer, yields: Int) async throws -> String {
    let victim = try await self.probe("refresh-forever", server)
    victim.sendLine()
    _ = await victim.line()
    for _ in 0..<yields { sched_yield() }
    victim.kill()
    _ = await victim.lines()
    let successor = try await self.probe("refresh", server)
    successor.sendLine()
    return try #require(await successor.line())
  }

  @Test("C-30: with a reuse interval, the tokens can be refreshed after a process was killed during refreshes")
  func killedAnywhere() async throws {
    let server = try TokenServer(hasReuseInterval: true)
    try await self.signIn(at: server)
    for round in 0..<20 {
      let line = try await self.refreshAfterKill(at: server, yields: round * 400)
      #expect(line == "a-\(server.rotations + 1)")
    }
  }

  @Test(
    "C-30: if a process is killed during refreshes at a server without a reuse interval, the tokens can be refreshed, or the error says why not"
  )
  func killedAnywhereAtStrictServer() async throws {
    for round in 0..<10 {
      let server = try TokenServer(hasReuseInterval: false)
      try await self.signIn(at: server)
      let line = try await self.refreshAfterKill(at: server, yields: round * 700)
      #expect(line == "a-\(server.rotations + 1)" || line.contains("after an earlier refresh response was lost"))
    }
  }
}
