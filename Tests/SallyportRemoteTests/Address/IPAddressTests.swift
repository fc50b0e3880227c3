import SallyportProtocol
import SallyportRemote
import Testing

@Suite("IP addresses")
struct IPAddressTests {
  @Test(
    "loopback, private, and special-purpose addresses are not public",
    arguments: [
      "127.0.0.1", "127.255.0.1", "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "169.254.169.254",
      "172.16.0.1",
      "172.31.255.255", "192.168.1.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
      "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "[::]", "[::1]", "[::7f00:1]", "[::ffff:7f00:1]",
      "[::ffff:a00:1]",
      "[::ffff:0:7f00:1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[2002:c0a8:101::1]", "[fe80::1]", "[fc00::1]",
      "[fd12:3456::1]",
      "[ff02::1]", "[2001:db8::1]", "[2001::1]", "[2001:10::1]", "[3fff::1]", "[100::1]", "[5f00::1]",
      // Hosts with brackets that the parser does not understand could still be addresses for another program.
      "[", "[]", "[::1", "[::ffff:127.0.0.1]", "[fe80::1%eth0]", "[v1.loopback]", "[2606:4700::1111::1]", "[2606:+4700::1]",
      "[1:2:3]",
      // Some resolvers read texts like these as IPv4 addresses, so such texts must not be treated as names.
      "2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "+1.2.3.4",
      "8.8.8.8.",
    ])
  func specialPurpose(host: String) throws {
    #expect(try !#require(IPAddress(host: host)).isPublic)
  }

  @Test(
    "public addresses are recognized, including IPv4 addresses embedded in IPv6 addresses",
    arguments: [
      "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "198.17.0.1",
      "223.255.255.255",
      "[2606:4700::1111]", "[2a00:1450:4001::1]", "[2001:4860:4860::8888]", "[::ffff:808:808]", "[64:ff9b::808:808]",
      "[2002:808:808::1]",
    ])
  func publicAddresses(host: String) throws {
    #expect(try #require(IPAddress(host: host)).isPublic)
  }

  @Test(
    "a name is not an address",
    arguments: ["example.com", "a1", "1a.example", "localhost", "127.0.0.1.example", "0x7f.example"])
  func name(host: String) {
    #expect(IPAddress(host: host) == nil)
  }

  @Test(
    "C-23: metadata of a public host cannot contain URLs on private or loopback hosts, and metadata of a private host cannot contain URLs on loopback hosts; metadata from an https URL cannot contain http URLs",
    arguments: [
      ("https://api.example/", "https://id.example/", true), ("https://api.example/", "https://8.8.8.8/", true),
      ("https://api.example/", "http://127.0.0.1:1/", false), ("https://api.example/", "https://127.0.0.1/", false),
      ("https://api.example/", "https://localhost/", false), ("https://api.example/", "https://db.localhost/", false),
      ("https://api.example/", "https://[::1]/", false), ("https://api.example/", "https://10.0.0.1/", false),
      ("https://api.example/", "https://169.254.169.254/", false), ("https://api.example/", "https://2130706433/", false),
      ("https://8.8.8.8/", "https://192.168.0.1/", false), ("https://10.0.0.1/", "https://192.168.0.1/", true),
      ("https://10.0.0.1/", "https://127.0.0.1/", false), ("https://10.0.0.1/", "https://id.example/", true),
      ("https://localhost/", "https://127.0.0.1/", true), ("https://localhost/", "http://127.0.0.1/", false),
      ("http://127.0.0.1:8080/", "http://localhost:9090/", true), ("http://localhost/", "https://id.example/", true),
    ])
  func policy(origin: String, target: String, allowed: Bool) throws {
    #expect(AddressPolicy.allowsReference(from: try EndpointURL(origin), to: try EndpointURL(target)) == allowed)
  }
}
