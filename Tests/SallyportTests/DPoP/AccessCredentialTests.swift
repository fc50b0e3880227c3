import HTTPTypes
import SallyportProtocol
import Testing

@testable import Sallyport

@Suite("Access tokens and their proofs")
struct AccessCredentialTests {
  @Test("a bound token without its key is not sent, and a bearer token needs no proof")
  func missingKey() throws {
    let url = try EndpointURL("https://api.example/notes")
    let bound = AccessCredential(token: Secret("access-1"), type: .dpop, key: nil)
    #expect(throws: DPoPKeyError.damaged) { try bound.fields(for: .get, url, nonce: nil, at: Timestamp(seconds: 0)) }
    let bearer = AccessCredential(token: Secret("access-1"), type: .bearer, key: nil)
    let fields = try bearer.fields(for: .get, url, nonce: nil, at: Timestamp(seconds: 0))
    #expect(fields[.authorization] == "Bearer access-1" && fields[.dpop] == nil)
  }
}
