import SallyportProtocol
import Testing

@testable import SallyportDesktop

@Suite("Which requests a loopback redirect URI accepts")
struct RedirectTargetTests {
  @Test(
    "C-18: if the redirect URI has a query, the query of a request must begin with that query and have more parameters",
    arguments: [
      ("/cb?app=1&code=x&state=y", true), ("/cb?code=x&state=y", false), ("/cb?app=10&code=x", false), ("/cb?app=1", false),
      ("/cb?code=x&app=1&state=y", false), ("/cb", false),
    ])
  func ownQuery(target: String, isAccepted: Bool) throws {
    let head = try #require(RequestHead("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:49152".utf8))
    let result = RedirectTarget(try RedirectURI("http://127.0.0.1:49152/cb?app=1")).callbackURL(of: head)
    switch result {
    case .success(let url): #expect(isAccepted && url == "http://127.0.0.1:49152\(target)")
    case .failure(let error): #expect(!isAccepted && error.rejection == .notFound)
    }
  }
}
