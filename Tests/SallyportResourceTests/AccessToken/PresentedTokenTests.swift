import HTTPTypes
import SallyportProtocol
import SallyportResource
import TestSupport
import Testing

struct PresentedTokenTests {
  @Test("R-02: a token in the query is rejected, with or without a token in the Authorization field")
  func query() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token()
    for path in ["/notes?access_token=\(token)", "/notes?a=1&access_token=", "/notes?access%5ftoken=x", "/notes?access_token"] {
      for fields in [[:], [.authorization: "Bearer \(token)"]] as [HTTPFields] {
        let error = await api.error(of: fixture.request(fields, path: path))
        #expect(error?.reason == .request(.inQuery) && error?.status == .badRequest)
        #expect(error?.challenges.first?.error == .invalidRequest)
      }
    }
    // Other parameters are accepted, even if their encoding is invalid.
    #expect(await api.error(of: fixture.request([.authorization: "Bearer \(token)"], path: "/notes?token=x&%zz")) == nil)
  }

  @Test("several Authorization fields, or a Bearer or DPoP field without exactly one well-formed token, are rejected")
  func repeated() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token()
    var fields: HTTPFields = [:]
    fields[values: .authorization] = ["Bearer \(token)", "Bearer \(token)"]
    #expect(await api.error(of: fixture.request(fields))?.reason == .request(.repeated))
    fields[values: .authorization] = ["Basic YTpi", "Bearer \(token)"]
    #expect(await api.error(of: fixture.request(fields))?.reason == .request(.repeated))
    for value in ["Bearer \(token), Bearer \(token)", "Bearer \(token) \(token)", "Bearer", "Bearer ", "DPoP", "Bearer a\u{e9}"] {
      #expect(await api.error(of: fixture.request([.authorization: value]))?.reason == .request(.malformed))
    }
  }

  @Test("the scheme is case-insensitive, and other schemes are ignored")
  func schemes() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let token = try fixture.token()
    for scheme in ["Bearer", "bearer", "BEARER"] {
      #expect(await api.error(of: fixture.request([.authorization: "\(scheme) \(token)"])) == nil)
    }
    for value in ["Basic YTpi", "Token \(token)", token, ""] {
      #expect(await api.error(of: fixture.request([.authorization: value]))?.reason == .tokenMissing)
    }
  }

  @Test("very large tokens and proofs and thousands of fields are rejected, and deeply nested claims are accepted")
  func huge() async throws {
    let fixture = try ResourceFixture()
    let api = try fixture.api()
    let huge = String(repeating: "a", count: 1 << 20)
    #expect(await api.error(of: fixture.bearer(huge))?.reason == .request(.tooLong))
    var fields: HTTPFields = [:]
    fields[values: .authorization] = Array(repeating: "Bearer x", count: 10_000)
    #expect(await api.error(of: fixture.request(fields))?.reason == .request(.repeated))
    let key = try SoftwareDPoPKeys().makeKey()
    let token = try fixture.token(boundTo: key)
    fields = [.authorization: "DPoP \(token)"]
    fields[values: .dpop] = Array(repeating: try fixture.proof(by: key, of: token), count: 10_000)
    #expect(await api.error(of: fixture.request(fields))?.reason == .proof(.repeated))
    #expect(await api.error(of: fixture.bound(token, huge))?.reason == .proof(.malformed(.tooLong)))
    let deep = try fixture.token(["deep": (0..<100).reduce(JSONValue.integer(1)) { inner, _ in .array([inner]) }])
    #expect(await api.error(of: fixture.bearer(deep)) == nil)
  }
}
