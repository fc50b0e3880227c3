import SallyportServer
import Testing

@testable import SallyportPostgres

@Suite("URLs of PostgreSQL databases")
struct AddressTests {
  @Test(
    "a URL with a password is rejected, and the message does not contain the password",
    arguments: [
      "postgres://ada:correct-horse@db.example/sallyport", "postgresql://:correct-horse@/sallyport",
      "postgres://ada@db.example/sallyport?password=correct-horse", "postgres://ada:correct%zzhorse@db.example/",
      "postgres://db.example/sallyport?password=correct%zzhorse",
      "postgres://db.example/sallyport?sslpassword=correct-horse",
    ])
  func rejectsPasswords(_ url: String) {
    let error = #expect(throws: StoreError.self) { try PostgresAddress(url, environment: { _ in nil }) }
    guard case .unusable(let reason) = error else {
      Issue.record("\(String(describing: error)) is not an error of the settings")
      return
    }
    #expect(!reason.contains("horse"))
  }

  @Test("a text that is not a valid URL is rejected", arguments: ["", "host=db.example", "postgres://db.example/?unknown=1"])
  func rejectsInvalidURLs(_ url: String) {
    #expect(throws: StoreError.self) { try PostgresAddress(url, environment: { _ in nil }) }
  }

  @Test(
    "connections to another machine verify the server's certificate unless the URL specifies another sslmode",
    arguments: [
      ("postgres://db.example/sallyport", "verify-full"), ("postgres://127.0.0.1,db.example/sallyport", "verify-full"),
      ("postgres://127.0.0.1.example/sallyport", "verify-full"), ("postgres://db.example/?hostaddr=10.0.0.1", "verify-full"),
      ("postgres://db.example/sallyport?sslmode=require", "require"), ("postgres://localhost,127.0.0.1,[::1]/sallyport", nil),
      ("postgres:///sallyport?host=/run/postgresql", nil), ("postgres:///sallyport", nil),
    ] as [(String, String?)])
  func verifiesCertificates(_ url: String, _ mode: String?) throws {
    let address = try PostgresAddress(url, environment: { _ in nil })
    for endpoint in address.endpoints { #expect(endpoint.first { $0.keyword == "sslmode" }?.value == mode) }
  }

  @Test("each host has connection parameters of its own, which require a server that accepts writes")
  func splitsHosts() throws {
    let address = try PostgresAddress("postgres://ada@a.example:5433,b.example:5434/db", environment: { _ in nil })
    #expect(address.hosts == ["a.example:5433", "b.example:5434"])
    let hosts = address.endpoints.map { endpoint in endpoint.filter { $0.keyword == "host" || $0.keyword == "port" }.map(\.value)
    }
    #expect(hosts == [["a.example", "5433"], ["b.example", "5434"]])
    for endpoint in address.endpoints {
      #expect(endpoint.first { $0.keyword == "target_session_attrs" }?.value == "read-write")
    }
  }
}
