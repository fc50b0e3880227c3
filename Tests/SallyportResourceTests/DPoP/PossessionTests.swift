import HTTPTypes
import SallyportProtocol
import SallyportResource
import TestSupport
import Testing

struct PossessionTests {
  private let key: any DPoPKey

  init() throws {
    self.key = try SoftwareDPoPKeys().makeKey()
  }

  @Test("R-02: a token bound to a key is accepted with a proof of that key, and each proof is accepted once")
  func good() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(boundTo: self.key)
    let request = fixture.bound(token, try fixture.proof(by: self.key, of: token))
    #expect(try await api.authorize(request).keyThumbprint == self.key.publicKey.thumbprint)
    let error = await api.error(of: request)
    #expect(error?.reason == .proofReplayed && error?.status == .unauthorized)
    #expect(error?.challenges.map(\.scheme) == ["DPoP"] && error?.challenges.first?.error == .invalidDPoPProof)
    #expect(await api.error(of: fixture.bound(token, try fixture.proof(by: self.key, of: token))) == nil)
  }

  @Test("R-02: a DPoP-bound token is rejected with the Bearer scheme, and an unbound token is rejected with the DPoP scheme")
  func downgrade() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let bound = try fixture.token(boundTo: self.key)
    var request = fixture.bearer(bound)
    let error = await api.error(of: request)
    #expect(error?.reason == .boundTokenAsBearer && error?.status == .unauthorized)
    #expect(error?.challenges.map(\.scheme) == ["DPoP"] && error?.challenges.first?.error == .invalidToken)
    #expect(error?.challenges.first?["algs"] == "ES256 ES384 EdDSA")
    request.headerFields[.dpop] = try fixture.proof(by: self.key, of: bound)
    #expect(await api.error(of: request)?.reason == .boundTokenAsBearer)
    let plain = try fixture.token()
    let wrong = fixture.bound(plain, try fixture.proof(by: self.key, of: plain))
    #expect(await api.error(of: wrong)?.reason == .tokenNotBound)
  }

  @Test("R-02: an API can require DPoP-bound tokens, or reject them")
  func demands() async throws {
    let fixture = try ResourceFixture()
    let (bound, plain) = (try fixture.token(boundTo: self.key), try fixture.token())
    let required = try fixture.api(dpop: .required)
    let error = await required.error(of: fixture.bearer(plain))
    #expect(error?.reason == .bindingRequired && error?.challenges.map(\.scheme) == ["DPoP"])
    #expect(await required.error(of: fixture.bound(bound, try fixture.proof(by: self.key, of: bound))) == nil)
    #expect(await required.error(of: fixture.request([:]))?.challenges.map(\.scheme) == ["DPoP"])
    let off = try fixture.api(dpop: .off)
    #expect(await off.error(of: fixture.bearer(plain)) == nil)
    let other = await off.error(of: fixture.bound(bound, try fixture.proof(by: self.key, of: bound)))
    #expect(other?.reason == .bindingNotSupported && other?.challenges.map(\.scheme) == ["Bearer"])
    #expect(await off.error(of: fixture.bearer(bound))?.reason == .boundTokenAsBearer)
  }

  @Test("R-02: invalid proofs are rejected")
  func faults() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(boundTo: self.key)
    let (now, other) = (fixture.clock.now, try SoftwareDPoPKeys().makeKey())
    func proof(
      by key: (any DPoPKey)? = nil, of text: String? = token, method: String = "GET", url: String? = nil, at time: Timestamp = now
    ) throws -> String {
      try fixture.proof(by: key ?? self.key, of: text, method: method, url: url, at: time)
    }
    let rows: [(String, AccessError.Reason?)] = [
      (try proof(by: other), .proof(.keyMismatch)), (try proof(of: nil), .proof(.accessTokenHashMissing)),
      (try proof(of: "other"), .proof(.accessTokenHashMismatch)), (try proof(method: "POST"), .proof(.methodMismatch)),
      (try proof(url: "https://api.example/other"), .proof(.urlMismatch)),
      (try proof(url: "https://other.example/notes"), .proof(.urlMismatch)),
      (try proof(url: "http://api.example/notes"), .proof(.urlMismatch)),
      (try proof(url: "https://API.example:443/notes?x=1"), nil),
      (try proof(at: now - .seconds(60)), .proof(.tooOld)), (try proof(at: now - .seconds(59)), nil),
      (try proof(at: now + .seconds(31)), .proof(.issuedInFuture)), (try proof(at: now + .seconds(30)), nil),
      ("x", .proof(.malformed(.notThreeParts))), (token, .proof(.typeMismatch)),
    ]
    for (proof, reason) in rows {
      let error = await api.error(of: fixture.bound(token, proof))
      #expect(error?.reason == reason)
      #expect(error == nil || (error?.status == .unauthorized && error?.challenges.first?.error == .invalidDPoPProof))
    }
    #expect(await api.error(of: fixture.bound(token))?.reason == .proofMissing)
    let two = fixture.bound(token, try proof(), try proof())
    #expect(await api.error(of: two)?.reason == .proof(.repeated))
  }

  @Test("a proof must be for the API's configured URL, regardless of the host in the request")
  func host() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(boundTo: self.key)
    var request = fixture.bound(token, try fixture.proof(by: self.key, of: token, url: "https://evil.example/notes"))
    request.authority = "evil.example"
    #expect(await api.error(of: request)?.reason == .proof(.urlMismatch))
    request = fixture.bound(token, try fixture.proof(by: self.key, of: token))
    request.authority = "10.0.0.1:8080"
    request.scheme = "http"
    #expect(await api.error(of: request) == nil)
  }

  @Test(
    "RFC 9449 §4.3: a proof is compared with the path only, whatever the query or fragment contains",
    arguments: ["?q=a|b", "?q={x}", "?q=^", "?q=100%", "?a=1?b=2", "?q=[\"", "#a|b", "?"])
  func query(text: String) async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(boundTo: self.key)
    var request = fixture.bound(token, try fixture.proof(by: self.key, of: token))
    request.path = "/notes" + text
    #expect(await api.error(of: request) == nil)
    request = fixture.bound(token, try fixture.proof(by: self.key, of: token))
    request.path = "/other" + text
    #expect(await api.error(of: request)?.reason == .proof(.urlMismatch))
  }

  @Test(
    "a path that does not begin with a slash cannot continue the API's host name",
    arguments: [".evil.example/notes", ":8443/notes", "evil.example/notes"])
  func pathThatChangesHost(path: String) async throws {
    let fixture = try ResourceFixture()
    let token = try fixture.token(boundTo: self.key)
    var request = fixture.bound(token, try fixture.proof(by: self.key, of: token, url: "https://api.example\(path)"))
    request.path = path
    #expect(try await fixture.api().error(of: request)?.reason == .proof(.urlMismatch))
  }

  @Test("R-02: an API requests a nonce, accepts the nonce for a limited time, and then requests a new one")
  func nonces() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api(nonces: DPoPNonceSource(now: fixture.clock.source))
    let token = try fixture.token(["exp": 1_800_010_000, "cnf": ["jkt": .string(self.key.publicKey.thumbprint)]])
    let error = await api.error(of: fixture.bound(token, try fixture.proof(by: self.key, of: token)))
    #expect(error?.challenges.first?.error == .useDPoPNonce)
    let nonce = try #require(error?.fields[.dpopNonce])
    #expect(nonce == api.nextNonce)
    func reason() async throws -> AccessError.Reason? {
      await api.error(of: fixture.bound(token, try fixture.proof(by: self.key, of: token, nonce: nonce)))?.reason
    }
    #expect(try await reason() == nil)
    // The API sends a new nonce every 120 seconds, and accepts the previous nonce for another 120 seconds.
    fixture.clock.advance(by: .seconds(120))
    #expect(try await reason() == nil)
    fixture.clock.advance(by: .seconds(120))
    #expect(try await reason() == .proof(.nonceMismatch))
    #expect(DPoPNonceSource(secret: Secret([1, 2, 3])) == nil)
  }

  @Test("if the replay store is full, requests are rejected until some proofs expire")
  func bounded() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api(replays: MemoryReplayStore(capacity: 2, now: fixture.clock.source))
    let token = try fixture.token(boundTo: self.key)
    func error() async throws -> AccessError? {
      await api.error(of: fixture.bound(token, try fixture.proof(by: self.key, of: token)))
    }
    #expect(try await error() == nil)
    #expect(try await error() == nil)
    let full = try await error()
    let cause = "The replay store is full. Create it with a capacity of more than 2 proofs."
    #expect(full?.reason == .replaysUnknown(cause: cause) && full?.status == .serviceUnavailable)
    // A proof is recorded for 90 seconds: its maximum age of 60 seconds, and the tolerated clock difference of 30.
    fixture.clock.advance(by: .seconds(91))
    #expect(try await error() == nil)
  }

  @Test("a recorded proof is removed soon after it expires, even if proofs arrive all the time")
  func removal() async throws {
    let clock = TestClock()
    // A proof per second that expires after 90 seconds: a full minute's proofs must never be kept in addition.
    let store = MemoryReplayStore(capacity: 105, now: clock.source)
    for number in UInt8.min...UInt8.max {
      let mark = [UInt8](repeating: number, count: 32)
      #expect(try await store.use(mark, until: clock.now + .seconds(90)))
      #expect(try await !store.use(mark, until: clock.now + .seconds(90)))
      // The proof of 89 seconds ago is still recorded.
      if number >= 89 {
        #expect(try await !store.use([UInt8](repeating: number - 89, count: 32), until: clock.now + .seconds(90)))
      }
      clock.advance(by: .seconds(1))
    }
  }

  @Test("a proof is recorded for as long as it could be accepted with any tolerated clock difference")
  func remembered() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(boundTo: self.key)
    let proof = try fixture.proof(by: self.key, of: token, at: fixture.clock.now + .seconds(30))
    #expect(await api.error(of: fixture.bound(token, proof)) == nil)
    // The proof is accepted until 60 seconds after its time, which is 30 seconds in the future: for 90 seconds.
    for _ in 0..<8 {
      fixture.clock.advance(by: .seconds(11))
      #expect(await api.error(of: fixture.bound(token, proof))?.reason == .proofReplayed)
    }
    fixture.clock.advance(by: .seconds(2))
    #expect(await api.error(of: fixture.bound(token, proof))?.reason == .proof(.tooOld))
  }

  @Test("if a hundred concurrent requests contain the same proof, only one request is accepted")
  func race() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token(boundTo: self.key)
    let request = fixture.bound(token, try fixture.proof(by: self.key, of: token))
    let admitted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 { group.addTask { await api.error(of: request) == nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(admitted == 1)
  }
}
