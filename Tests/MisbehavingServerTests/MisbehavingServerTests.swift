#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Sallyport
import SallyportDesktop
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

/// Signs in at a server with one of the faults in `Fault.groups`, and checks that the result is the one in the tables
/// of Faults.md.
@Suite("A misbehaving server", .timeLimit(.minutes(5)))
struct MisbehavingServerTests {
  @Test(
    "C-16, C-19, C-23, C-25, C-29, C-32, C-33: each fault of a server has the result that the tables in Faults.md list",
    arguments: Fault.groups.flatMap(\.faults))
  func fault(_ fault: Fault) async throws {
    try await MisbehavingServer.run(fault.behavior) { server, issuer, transport in
      let transport: any Transport = fault.isSlow ? ShortTimeoutTransport(transport: transport) : transport
      try await withStore { store in
        // The client prefers DPoP-bound tokens, so that the faults of DPoP servers apply too.
        let client = OAuthClient(issuer: issuer, clientID: "notes", store: store, transport: transport, dpop: .preferred)
        try await Self.check(fault, client, transport)
        #expect(server.strayRequests == [], "no redirect to /stolen is followed")
        if case .accepted = fault.outcome { return }
        #expect(try await client.restoreSession() == nil, "no session is stored")
      }
    }
  }

  private static func check(_ fault: Fault, _ client: OAuthClient, _ transport: any Transport) async throws {
    let user = HonestUser(transport: transport)
    // If the client ignores the response, the sign-in ends only at its timeout, so the timeout is short.
    let timeout: Duration = if case .ignored = fault.outcome { .milliseconds(300) } else { .seconds(60) }
    let options = SignInOptions(scopes: [.openID, .profile], timeout: timeout)
    let session: OAuthSession
    do {
      session = try await client.signIn(options, via: user, receiver: user)
    } catch {
      return Self.check(error, fault, rejected: user.rejected.count)
    }
    guard case .accepted(_, let isExpected) = fault.outcome else {
      Issue.record("the sign-in succeeded, but must fail")
      return
    }
    #expect(try await isExpected(session))
  }

  private static func check(_ error: SignInError, _ fault: Fault, rejected: Int) {
    switch fault.outcome {
    case .refused(let expected): #expect(error == expected)
    case .refusedMatching(let expected, let matches): #expect(matches(error), "\(error), expected: \(expected)")
    case .ignored:
      #expect(error == .timedOut)
      #expect(rejected == 1)
    case .accepted: Issue.record(error)
    }
  }

  @Test("a sign-in with a server without faults succeeds")
  func good() async throws {
    try await MisbehavingServer.run(Behavior()) { server, issuer, transport in
      let user = HonestUser(transport: transport)
      try await withStore { store in
        let client = OAuthClient(issuer: issuer, clientID: "notes", store: store, transport: transport)
        let session = try await client.signIn(scopes: [.openID], via: user, receiver: user)
        #expect(await session.claims?.subject == "ada")
        #expect(try await session.userInfo().name == "Ada")
        #expect(server.tokenRequests.count == 1)
      }
    }
  }

  @Test("sign-ins continue to succeed after the server rotates its keys")
  func rotatedKeys() async throws {
    let (newKey, isRotated) = (TestSigningKey.es256(id: "es-2"), Switch())
    var behavior = Behavior()
    behavior.key = { isRotated.value ? newKey : nil }
    behavior.keySet = { keys in
      if isRotated.value { keys = TestIssuer.jwks([newKey]) }
      // With nil, the server sends the changed key set.
      return nil
    }
    try await MisbehavingServer.run(behavior) { _, issuer, transport in
      let clock = TestClock(.now())
      try await withStore { store in
        let client = OAuthClient(
          issuer: issuer, clientID: "notes", store: store, transport: transport, now: clock.dates)
        for _ in 0..<2 {
          let user = HonestUser(transport: transport)
          let session = try await client.signIn(scopes: [.openID], via: user, receiver: user)
          #expect(await session.claims?.subject == "ada")
          isRotated.value = true
          // The client fetches the key set again for an unknown key ID, but at most once every 30 seconds.
          clock.advance(by: .seconds(31))
        }
      }
    }
  }

  @Test("the tables in Faults.md match these tests")
  func documentation() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let file = root.appending(path: "Sources/Sallyport/Sallyport.docc/Faults.md")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text.contains(Fault.table()), "replace the table with:\n\(Fault.table())")
  }
}

/// Creates an encrypted file store in a temporary folder, and removes the folder afterward.
private func withStore(_ body: (EncryptedFileStore) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-faults-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(EncryptedFileStore(folder: folder.path))
}

/// A thread-safe Boolean.
private final class Switch: Sendable {
  private let state = Mutex(false)

  var value: Bool {
    get { self.state.withLock { $0 } }
    set { self.state.withLock { $0 = newValue } }
  }
}
