import HTTPTypes
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

struct DiscoveryTests {
  private let transport = FakeTransport()

  /// Returns the error of a discovery, or `nil` if it succeeds.
  private func error(of issuer: TestIssuer) async -> DiscoveryError? {
    do {
      _ = try await Discovery(transport: self.transport).metadata(of: issuer.issuer)
      return nil
    } catch {
      return error
    }
  }

  @Test("valid metadata yields checked endpoints")
  func good() async throws {
    let issuer = try TestIssuer("https://id.example/tenant")
    issuer.publish(on: self.transport)
    let metadata = try await Discovery(transport: self.transport).metadata(of: issuer.issuer)
    #expect(metadata.issuer == issuer.issuer)
    #expect(metadata.authorizationEndpoint.value == "https://id.example/tenant/authorize")
    #expect(metadata.tokenEndpoint.value == "https://id.example/tenant/token")
    #expect(metadata.jwksURI?.value == "https://id.example/tenant/jwks")
    #expect(metadata.userinfoEndpoint?.value == "https://id.example/tenant/userinfo")
    #expect(metadata.revocationEndpoint?.value == "https://id.example/tenant/revoke")
    #expect(metadata.endSessionEndpoint?.value == "https://id.example/tenant/logout")
    #expect(metadata.announcesIssuer)
    #expect(metadata.idTokenSigningAlgorithms == ["ES256", "RS256"])
    #expect(self.transport.requests.map(\.url) == ["https://id.example/tenant/.well-known/openid-configuration"])
    #expect(self.transport.requests.first?.limits.maximumBodySize == TransferLimits.document.maximumBodySize)
  }

  @Test(
    "if the request for the OpenID configuration gets a status of 4xx, the RFC 8414 document is read",
    arguments: [400, 403, 404, 410])
  func fallback(status: Int) async throws {
    let issuer = try TestIssuer("https://id.example/tenant")
    self.transport.on(issuer.configurationURL, respond: .text("", status: .init(code: status)))
    self.transport.on(
      "https://id.example/.well-known/oauth-authorization-server/tenant", respond: .json(encoding: issuer.metadata))
    #expect(try await Discovery(transport: self.transport).metadata(of: issuer.issuer).issuer == issuer.issuer)
  }

  @Test("if the server is temporarily unavailable, the RFC 8414 document is not requested")
  func noFallback() async throws {
    let issuer = try TestIssuer()
    self.transport.on(issuer.configurationURL, respond: .text("", status: .serviceUnavailable))
    #expect(await self.error(of: issuer) == .document(.status(503)))
    #expect(self.transport.requests.count == 1)
  }

  @Test("if neither document exists, the error contains status 404")
  func nothing() async throws {
    #expect(await self.error(of: try TestIssuer()) == .document(.status(404)))
    #expect(self.transport.requests.count == 2)
  }

  @Test(
    "C-32: a document of another issuer is rejected",
    arguments: [
      "https://evil.example", "https://id.example/", "https://ID.example", "https://id.example:443", "http://id.example",
      "https://id.example/tenant", "id.example", "", "https://id.example ", "https://id.example\u{0}",
    ])
  func otherIssuer(found: String) async throws {
    var issuer = try TestIssuer()
    issuer.metadata.issuer = found
    issuer.publish(on: self.transport)
    guard case .issuerMismatch? = await self.error(of: issuer) else {
      Issue.record("accepted \(found)")
      return
    }
  }

  @Test("C-32: the issuer in an error is truncated and limited to visible ASCII characters")
  func boundedText() async throws {
    var issuer = try TestIssuer()
    issuer.metadata.issuer = "\u{1B}[2J" + String(repeating: "x", count: 10_000)
    issuer.publish(on: self.transport)
    #expect(await self.error(of: issuer) == .issuerMismatch(found: "?[2J" + String(repeating: "x", count: 196)))
  }

  struct Document: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var outcome: FakeTransport.Outcome
    var error: JSONDocumentError
  }

  static let hostileDocuments: [Document] = [
    Document(
      testDescription: "a redirect to another host", outcome: .success(.redirect(to: "https://evil.example/")), error: .redirected
    ),
    Document(
      testDescription: "a redirect from https to http (C-23)",
      outcome: .success(.redirect(to: "http://id.example/", status: .permanentRedirect)), error: .redirected),
    Document(
      testDescription: "a web page", outcome: .success(.body(Array("<html>".utf8), type: "text/html; charset=utf-8")),
      error: .notJSON),
    Document(
      testDescription: "a redirect to another port", outcome: .success(.redirect(to: "https://id.example:8443/metadata")),
      error: .redirected),
    Document(
      testDescription: "a redirect to a host without a scheme", outcome: .success(.redirect(to: "//evil.example/metadata")),
      error: .redirected),
    Document(
      testDescription: "a redirect without a target", outcome: .success(.text("", status: .found)), error: .redirected),
    Document(testDescription: "no media type", outcome: .success(.body(Array("{}".utf8), type: nil)), error: .notJSON),
    Document(testDescription: "not JSON", outcome: .success(.json("<html>")), error: .malformed),
    Document(testDescription: "an empty body", outcome: .success(.json("")), error: .malformed),
    Document(testDescription: "an empty object", outcome: .success(.json("{}")), error: .malformed),
    Document(testDescription: "a list", outcome: .success(.json("[]")), error: .malformed),
    Document(testDescription: "an issuer that is a number", outcome: .success(.json(#"{"issuer":7}"#)), error: .malformed),
    Document(
      testDescription: "deep nesting",
      outcome: .success(.json(String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000))), error: .malformed
    ),
    Document(
      testDescription: "invalid UTF-8", outcome: .success(.body([0x7B, 0xFF, 0x7D], type: "application/json")), error: .malformed),
    Document(
      testDescription: "larger than allowed, over a transport that does not enforce the limit",
      outcome: .success(.json(String(repeating: " ", count: 600 << 10))), error: .transport(.bodyTooLarge)),
    Document(
      testDescription: "larger than allowed, over a transport that enforces the limit", outcome: .failure(.bodyTooLarge),
      error: .transport(.bodyTooLarge)),
    Document(testDescription: "a timeout", outcome: .failure(.timedOut), error: .transport(.timedOut)),
    Document(testDescription: "status 204", outcome: .success(.text("", status: .noContent)), error: .status(204)),
    Document(testDescription: "status 500", outcome: .success(.text("", status: .internalServerError)), error: .status(500)),
  ]

  @Test(
    "anything but one JSON document of limited size from the issuer's origin is rejected", arguments: Self.hostileDocuments)
  func documents(document: Document) async throws {
    let issuer = try TestIssuer()
    let outcome = document.outcome
    self.transport.on(issuer.configurationURL) { _ in outcome }
    #expect(await self.error(of: issuer) == .document(document.error))
    #expect(self.transport.requests.count == 1)
  }

  @Test(
    "up to three redirects to the same origin are followed, with absolute and relative URLs", arguments: [301, 302, 307, 308])
  func sameOriginRedirects(status: Int) async throws {
    let issuer = try TestIssuer()
    // The fake transport compares URLs as text, so the hops after the second redirect need both spellings of the host.
    let hops = [issuer.configurationURL, "https://id.example/1", "https://id.example/2"]
    for (hop, target) in zip(hops, ["/1", "https://ID.example:443/2", "/3"]) {
      self.transport.on(hop, respond: .redirect(to: target, status: .init(code: status)))
    }
    self.transport.on("https://ID.example:443/2", respond: .redirect(to: "/3", status: .init(code: status)))
    for url in ["https://id.example/3", "https://ID.example:443/3"] {
      self.transport.on(url, respond: .json(encoding: issuer.metadata))
    }
    #expect(await self.error(of: issuer) == nil)
    #expect(self.transport.requests.count == 4)
  }

  @Test("redirects beyond the limit are not followed")
  func endlessRedirects() async throws {
    let issuer = try TestIssuer()
    self.transport.on(issuer.configurationURL, respond: .redirect(to: issuer.configurationURL))
    #expect(await self.error(of: issuer) == .document(.redirected))
    #expect(self.transport.requests.count == 4)
  }

  @Test("JSON media types with parameters or a suffix are accepted, and so are text/plain and text/javascript")
  func mediaTypes() async throws {
    let issuer = try TestIssuer()
    let body = TransportResponse.json(encoding: issuer.metadata).body
    for type in [
      "application/json;charset=UTF-8", "Application/JSON ; charset=utf-8", "application/oauth+json", "text/plain",
      "text/javascript; charset=utf-8",
    ] {
      self.transport.on(issuer.configurationURL, respond: .body(body, type: type))
      #expect(await self.error(of: issuer) == nil)
    }
  }
}
