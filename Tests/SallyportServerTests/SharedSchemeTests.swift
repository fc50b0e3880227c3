import SallyportProtocol
import SallyportServer
import Testing

@Suite("Private-use schemes of several clients")
struct SharedSchemeTests {
  private func client(_ id: String, _ origin: ClientRecord.Origin = .operator, _ uris: String...) throws -> ClientRecord {
    ClientRecord(
      id: ClientID(rawValue: id), name: id, type: .public, applicationType: .native, origin: origin,
      redirectURIs: try uris.map { try RedirectURI($0) }, scope: "openid", createdAt: Timestamp(seconds: 1))
  }

  @Test(
    "S-32: clients that an operator registered with the same private-use scheme are reported, but not clients with the same loopback URI"
  )
  func shared() throws {
    let clients = [
      try self.client("a", .operator, "com.example.app:/a", "com.example.app:/b", "http://127.0.0.1/cb"),
      try self.client("b", .operator, "com.example.other:/cb", "http://127.0.0.1/cb"),
      try self.client("c", .operator, "com.example.app:/c"), try self.client("d", .dynamic, "com.example.other:/cb"),
      try self.client("e", .operator, "https://app.example/cb"), try self.client("f", .operator, "https://app.example/cb"),
    ]
    let found = SharedScheme.find(in: clients)
    #expect(found.map(\.scheme) == ["com.example.app"])
    #expect(found.first?.clients.map(\.rawValue) == ["a", "c"])
    // Without client a, only client c has the scheme.
    #expect(SharedScheme.find(in: Array(clients.dropFirst())).isEmpty)
  }
}
