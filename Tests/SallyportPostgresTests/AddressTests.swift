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
      // Malformed URLs, most of them with special characters that are not encoded.
      "postgres://ada:correct/horse@db.example/sallyport", "postgres://ada:horse/correct@db.example/sallyport",
      "postgres://ada:5432/horse@db.example/sallyport", "postgres://ada:5432?horse@db.example/sallyport",
      "postgres://ada:5432/a?horse@db.example/sallyport", "postgres://ada:horse", "postgres://ada@example:horse@db.example/",
      "postgres://ada@example:horse/correct@db.example/", "postgres://ada@example:12/horse@db.example/",
      "postgres://ada:horse%zz/correct@db.example/sallyport", "postgres://db.example/?scram_client_key=horse%zz",
    ])
  func rejectsPasswords(_ url: String) {
    let error = #expect(throws: StoreError.self) { try PostgresAddress(url, environment: { _ in nil }) }
    guard case .unusable(let reason) = error else {
      Issue.record("\(String(describing: error)) is not an error of the settings")
      return
    }
    #expect(!reason.contains("horse"))
  }

  @Test(
    "a port that is not a number from 1 to 65535 is rejected, and the message does not contain the port",
    arguments: [
      ("postgres://db.example:horse/sallyport", nil), ("postgres://a.example:5432,b.example:horse/sallyport", nil),
      ("postgres://[::1]:horse/sallyport", nil), ("postgres://db.example/?port=horse", nil), ("postgres://db.example/", "horse"),
      ("postgres://db.example:0/", nil), ("postgres://db.example:65536/", nil),
    ] as [(String, String?)])
  func rejectsPorts(_ url: String, _ variable: String?) {
    let error = #expect(throws: StoreError.self) { try PostgresAddress(url) { $0 == "PGPORT" ? variable : nil } }
    guard case .unusable(let reason) = error else {
      Issue.record("\(String(describing: error)) is not an error of the settings")
      return
    }
    #expect(reason.contains("from 1 to 65535") && !reason.contains("horse"), "\(reason)")
  }

  @Test(
    "the forms of hosts and ports that libpq accepts are accepted",
    arguments: [
      "postgres://[::1]:5432,[::2]/sallyport?user=ada@example", "postgres://ada%40example@db.example:5432/sallyport",
      "postgres:///sallyport?host=@socket", "postgres://db.example:5432,:5433/sallyport",
    ])
  func acceptsHosts(_ url: String) throws {
    #expect(throws: Never.self) { try PostgresAddress(url, environment: { _ in nil }) }
  }

  @Test("text that is not a valid URL is rejected", arguments: ["", "host=db.example", "postgres://db.example/?unknown=1"])
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

  @Test("each host has its own connection parameters, which require a server that accepts writes")
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
