import Sallyport
import SallyportProtocol
import Synchronization
import TestSupport
import Testing

@Suite("Choice of the redirect option", .timeLimit(.minutes(1)))
struct RedirectOptionTests {
  private let fixture: SignInFixture
  private let claimed = "https://app.example/oauth2redirect/id.example"
  private let privateUse = "com.example.app:/oauth2redirect/id.example"
  private let loopback = SignInFixture.callback

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// Returns a browser whose user allows the request. The server then redirects the browser to this URI. The returned
  /// object is also the receiver of the redirect.
  private func user(
    _ redirectURI: String, openError: UserAgentError? = nil, bindError: RedirectReceiverError? = nil
  ) throws -> FakeBrowser {
    try FakeBrowser(redirectURI, openError: openError, bindError: bindError) { request in
      self.fixture.grantTokens(nonce: request["nonce"])
      let query = FormParameters.encode([
        (name: "code", value: "code-1"), (name: "state", value: request["state"] ?? ""),
        (name: "iss", value: SignInFixture.issuer),
      ])
      return ["\(redirectURI)?\(query)"]
    }
  }

  /// Signs in, and returns the redirect URI that was used and the options that were skipped.
  private func signIn(_ redirects: [RedirectOption]) async throws -> (redirectURI: String?, skipped: [RedirectOption.Fallback]) {
    let skipped = Mutex<[RedirectOption.Fallback]>([])
    let options = SignInOptions(scopes: [.openID]) { progress in
      if case .skipped(let fallback) = progress { skipped.withLock { $0.append(fallback) } }
    }
    _ = try await self.fixture.client().signIn(options, redirects: redirects)
    return (self.fixture.tokenRequests.last?.form?["redirect_uri"], skipped.withLock { $0 })
  }

  @Test("C-08: the order of preference is claimed https, private-use scheme, loopback, regardless of the order in the list")
  func byAssurance() async throws {
    let (claimed, scheme, loopback) = (
      try self.user(self.claimed), try self.user(self.privateUse), try self.user(self.loopback)
    )
    let all: [RedirectOption] = [
      .noBrowser { _, _ throws(SignInError) in throw .cancelled }, .loopback(via: loopback, receiver: loopback),
      .privateUse(via: scheme, receiver: scheme), .claimedHTTPS(via: claimed, receiver: claimed),
    ]
    #expect(try await self.signIn(all).redirectURI == self.claimed)
    #expect(try await self.signIn(Array(all.dropLast())).redirectURI == self.privateUse)
    #expect(try await self.signIn(Array(all.dropLast(2))).redirectURI == self.loopback)
    #expect(claimed.opened.count + scheme.opened.count + loopback.opened.count == 3)
  }

  @Test("C-08: the first of two options of the same kind is used")
  func inOrder() async throws {
    let (first, second) = (try self.user("com.example.a:/cb"), try self.user("com.example.b:/cb"))
    let result = try await self.signIn([.privateUse(via: first, receiver: first), .privateUse(via: second, receiver: second)])
    #expect(result.redirectURI == "com.example.a:/cb")
  }

  @Test("C-08: if claimed links are turned off, the next option is used and the reason is reported")
  func fallsBack() async throws {
    let (claimed, scheme) = (try self.user(self.claimed), try self.user(self.privateUse))
    let result = try await self.signIn([
      .claimedHTTPS(via: claimed, receiver: claimed) { "links of app.example open in the browser" },
      .privateUse(via: scheme, receiver: scheme),
    ])
    #expect(result.redirectURI == self.privateUse)
    #expect(result.skipped.map(\.kind) == [.claimedHTTPS])
    #expect(result.skipped.map(\.reason) == [.obstacle("links of app.example open in the browser")])
    #expect(claimed.opened.isEmpty)
  }

  @Test("C-08: if a receiver cannot be bound or a browser cannot be opened, the next option is used")
  func fallsBackAfterFailure() async throws {
    let unbindable = try self.user(self.privateUse, bindError: .cannotBind(reason: "taken"))
    let withoutBrowser = try self.user(self.loopback, openError: .noBrowser(tried: ["xdg-open"]))
    let client = try self.fixture.client()
    let last = try self.user("https://app.example/other")
    let result = try await self.signIn([
      .privateUse(via: unbindable, receiver: unbindable), .loopback(via: withoutBrowser, receiver: withoutBrowser),
      .noBrowser { _, options throws(SignInError) in try await client.signIn(options, via: last, receiver: last) },
    ])
    #expect(result.redirectURI == "https://app.example/other")
    #expect(result.skipped.map(\.kind) == [.privateUse, .loopback])
    #expect(
      result.skipped.map(\.reason) == [
        .receiver(.cannotBind(reason: "taken")), .userAgent(.noBrowser(tried: ["xdg-open"])),
      ])
  }

  @Test("C-08: if no option can be used, the error contains the reason for each option")
  func nothing() async throws {
    let scheme = try self.user(self.privateUse)
    let error = await #expect(throws: SignInError.self) {
      try await self.signIn([
        .privateUse(via: scheme, receiver: scheme) { "not registered" },
        .noBrowser(obstacle: { "no terminal" }) {
          _, _ throws(SignInError) in throw .cancelled
        },
      ])
    }
    guard case .noUsableRedirect(let skipped) = error else { throw Unexpected() }
    #expect(skipped.map(\.reason) == [.obstacle("not registered"), .obstacle("no terminal")])
  }

  @Test("after a denial, no other option is tried")
  func denial() async throws {
    let claimed = try FakeBrowser(self.claimed) { request in
      ["\(self.claimed)?error=access_denied&state=\(request["state"] ?? "")&iss=https%3A%2F%2Fid.example"]
    }
    let scheme = try self.user(self.privateUse)
    let error = await #expect(throws: SignInError.self) {
      try await self.signIn([.claimedHTTPS(via: claimed, receiver: claimed), .privateUse(via: scheme, receiver: scheme)])
    }
    guard case .denied = error else { throw Unexpected() }
    #expect(scheme.opened.isEmpty)
  }

  @Test("if the user closes the page, the sign-in ends, and no other option is tried")
  func dismissed() async throws {
    let claimed = try self.user(self.claimed, bindError: .dismissed)
    let scheme = try self.user(self.privateUse)
    await #expect(throws: SignInError.dismissed) {
      try await self.signIn([.claimedHTTPS(via: claimed, receiver: claimed), .privateUse(via: scheme, receiver: scheme)])
    }
    #expect(scheme.opened.isEmpty)
  }

  @Test("a redirect URI that does not match the kind of its option is an error, and no browser is opened")
  func wrongKind() async throws {
    let loopback = try self.user(self.loopback)
    let reason = "\(self.loopback) does not belong to the option claimedHTTPS"
    await #expect(throws: SignInError.receiver(.failed(reason: reason))) {
      try await self.signIn([.claimedHTTPS(via: loopback, receiver: loopback)])
    }
    #expect(loopback.opened.isEmpty)
  }

  @Test(
    "C-06, C-07, C-31: a private-use scheme that has no period, is registered, or is not followed by exactly one slash is rejected",
    arguments: [
      ("myapp:/cb", RedirectURIError.schemeWithoutPeriod), ("iris.beep:/x", .registeredScheme),
      ("soap.beep:/x", .registeredScheme), ("com.example.app://cb", .notSingleSlash), ("com.example.app:cb", .notSingleSlash),
    ])
  func schemes(_ text: String, _ error: RedirectURIError) {
    #expect(throws: error) { try RedirectURI(text) }
  }

  @Test(
    "C-17: the default loopback redirect URI contains the issuer's host, and for an https issuer also its port and path",
    arguments: [
      ("https://id.example", "http://127.0.0.1/oauth2redirect/id.example"),
      ("https://id.example/", "http://127.0.0.1/oauth2redirect/id.example"),
      ("https://id.example:8443", "http://127.0.0.1/oauth2redirect/id.example:8443"),
      ("https://id.example/realms/a", "http://127.0.0.1/oauth2redirect/id.example/realms/a"),
      ("https://id.example:8443/realms/b", "http://127.0.0.1/oauth2redirect/id.example:8443/realms/b"),
      ("http://localhost:8080", "http://127.0.0.1/oauth2redirect/localhost"),
      ("http://127.0.0.1:9000/x", "http://127.0.0.1/oauth2redirect/127.0.0.1"),
    ])
  func defaultLoopback(_ issuer: String, _ redirectURI: String) throws {
    #expect(try RedirectURI.loopback(for: Issuer(issuer)).value == redirectURI)
  }

  @Test("C-31: the default scheme is the app's identifier in lowercase, so that the apps of a publisher have different schemes")
  func defaultPrivateUse() throws {
    let issuer = try Issuer("https://id.example:8443/realms/a")
    let apps = ["com.example.notes", "com.example.Mail", "com.example.notes.beta", "com.example.notes-pro"]
    let redirects = try apps.map { try RedirectURI.privateUse(for: issuer, application: $0) }
    #expect(redirects.map(\.components.scheme) == apps.map { $0.lowercased() })
    #expect(redirects.allSatisfy { $0.kind == .privateUse && $0.components.path == "/oauth2redirect/id.example:8443/realms/a" })
  }

  @Test(
    "C-31: an identifier that is registered with IANA, or is not a reversed domain name, is not used as a scheme",
    arguments: [
      ("iris.beep", RedirectURIError.registeredScheme), ("Soap.Beep", .registeredScheme), ("notes", .schemeWithoutPeriod),
      ("com.example.my_app", .malformed), ("com.example:/x", .malformed), ("", .malformed),
    ])
  func unusableIdentifier(application: String, error: RedirectURIError) throws {
    let issuer = try Issuer("https://id.example")
    #expect(throws: error) { try RedirectURI.privateUse(for: issuer, application: application) }
  }

  @Test("the default loopback redirect URI with a bound port matches the registered form")
  func boundPort() throws {
    let issuer = try Issuer("https://id.example:8443/realms/b")
    let registeredURI = try RedirectURI.loopback(for: issuer)
    #expect(registeredURI.matches(requested: try .loopback(for: issuer, port: 49152)))
    #expect(try RedirectURI.loopback(for: issuer, host: .ipv6, port: 49152).value.hasPrefix("http://[::1]:49152/oauth2redirect/"))
  }

  private struct Unexpected: Error {}
}
