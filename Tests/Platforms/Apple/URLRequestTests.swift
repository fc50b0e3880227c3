import Foundation
import Sallyport
import SallyportProtocol
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Runs on Linux, with the `URLRequest` of swift-corelibs-foundation.
@Suite("Requests with URLSession", .timeLimit(.minutes(1)))
struct URLRequestTests {
  @Test("C-34: the token for a target authorizes a URLRequest to the target's API, and to no other")
  func target() async throws {
    let session = try await SmallServer().client().importSession(
      ImportedSession(refreshToken: Secret("refresh-1"), scope: ["read"]))
    let target = TokenTarget(resources: [try ResourceIndicator("https://billing.example.com/")])
    var request = URLRequest(url: try #require(URL(string: "https://billing.example.com/invoices")))
    let authorization = try await session.authorization(for: request, target: target)
    authorization.apply(to: &request)
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer access-1")
    await #expect(throws: SessionError.originNotAllowed) { try await session.authorization(for: request) }
    let other = URLRequest(url: try #require(URL(string: "https://other.example.com/invoices")))
    await #expect(throws: SessionError.originNotAllowed) { try await session.authorization(for: other, target: target) }
  }
}
