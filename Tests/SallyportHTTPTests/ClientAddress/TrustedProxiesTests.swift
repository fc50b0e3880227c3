import HTTPTypes
import NIOCore
import Testing

@testable import SallyportHTTPServer

@Suite("The client's address behind proxies")
struct TrustedProxiesTests {
  private static let proxies = TrustedProxies(
    ["10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.1"].compactMap { AddressRange($0) })

  /// Returns the client's address for a request from `peer` with these values of X-Forwarded-For, and with the header
  /// fields `other`.
  private func client(of peer: String, _ fields: [String], other: HTTPFields = [:]) throws -> String? {
    var headers = other
    for field in fields { headers.append(HTTPField(name: .xForwardedFor, value: field)) }
    return Self.proxies.client(of: try SocketAddress(ipAddress: peer, port: 1), headers).ipAddress
  }

  @Test(
    "the client is the last address that is not a trusted proxy, whatever precedes it",
    arguments: [
      (["203.0.113.7"], "203.0.113.7"),
      (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
      (["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
      (["203.0.113.7, 10.9.9.9"], "203.0.113.7"),
      (["203.0.113.7", "10.9.9.9, 192.0.2.1"], "203.0.113.7"),
      (["10.1.1.1, 203.0.113.7"], "203.0.113.7"),
      (["  203.0.113.7\t"], "203.0.113.7"),
      (["203.0.113.7,10.9.9.9"], "203.0.113.7"),
      (["203.0.113.7, , ,"], "203.0.113.7"),
      (["203.0.113.7:4711"], "203.0.113.7"),
      (["2001:db8::7"], "2001:db8::7"),
      (["2001:DB8:0::7"], "2001:db8::7"),
      (["[2001:db8::7]:4711"], "2001:db8::7"),
      (["[2001:db8::7]"], "2001:db8::7"),
      (["203.0.113.7, 2001:db8:ffff::1"], "203.0.113.7"),
      (["::ffff:203.0.113.7"], "203.0.113.7"),
      (["203.0.113.7, ::ffff:10.2.2.2"], "203.0.113.7"),
      ([String(repeating: "198.51.100.1,", count: 800) + "203.0.113.7"], "203.0.113.7"),
      (["203.0.113.7" + String(repeating: ",10.0.0.9", count: 1_200)], "203.0.113.7"),
    ])
  func lastAppended(fields: [String], client: String) throws {
    #expect(try self.client(of: "10.0.0.1", fields) == client)
    #expect(try self.client(of: "::ffff:10.0.0.1", fields) == client)
  }

  @Test(
    "if the last element is missing or not an address, or all elements are proxies, a proxy counts as the client",
    arguments: [
      [], [""], [" "], [","], ["unknown"], ["_hidden"], ["203.0.113.7 203.0.113.8"], ["203.0.113"], ["203.0.113.07"],
      ["3405803783"],
      ["0xcb007107"], ["203.0.113.256"], ["203.0.113.7:"], ["203.0.113.7:port"], ["203.0.113.7:123456"], ["[203.0.113.7]"],
      ["[2001:db8::7"], ["2001:db8::7]"], ["[2001:db8::7]4711"], ["[2001:db8::7]:"], ["[]"], ["2001:db8::7%eth0"], ["fe80::1%1"],
      ["2001:db8::7::1"], ["localhost"], ["id.example"], ["\"203.0.113.7\""], ["for=203.0.113.7"], ["203.0.113.7;"],
      ["203.0.113.7, x"], ["２０３.0.113.7"], ["203.0.113.7", "x"], ["-"], [":"], ["::g"],
      [String(repeating: "x", count: 10_000)], [String(repeating: ",", count: 10_000)], [String(repeating: "[", count: 10_000)],
      [String(repeating: "10.0.0.1,", count: 1_200)],
    ])
  func noAddress(fields: [String]) throws {
    #expect(try self.client(of: "10.0.0.1", fields) == "10.0.0.1")
  }

  @Test("if the list is malformed before a second proxy, that proxy counts as the client")
  func malformedBeforeSecondProxy() throws {
    #expect(try self.client(of: "10.0.0.1", ["203.0.113.7, unknown, 10.0.0.2"]) == "10.0.0.2")
  }

  @Test(
    "X-Forwarded-For is ignored if the peer is not a trusted proxy",
    arguments: [
      "203.0.113.9", "11.0.0.1", "192.0.2.2", "192.0.2.0", "2001:db8:fffe::1", "2001:db8:fffe:ffff::1", "::1", "127.0.0.1",
      "::a00:1",
    ])
  func otherPeers(peer: String) throws {
    // ::a00:1 is the IPv4-compatible form of 10.0.0.1, and the system prints it differently.
    #expect(try self.client(of: peer, ["198.51.100.1"]) == peer || peer == "::a00:1")
    #expect(try self.client(of: peer, ["198.51.100.1"]) != "198.51.100.1")
  }

  @Test("Forwarded, X-Real-IP, and True-Client-IP are ignored, because a proxy may pass them on unchanged")
  func otherFields() throws {
    let other: HTTPFields = [
      try #require(HTTPField.Name("Forwarded")): "for=198.51.100.1", try #require(HTTPField.Name("X-Real-IP")): "198.51.100.1",
      try #require(HTTPField.Name("True-Client-IP")): "198.51.100.1",
    ]
    #expect(try self.client(of: "10.0.0.1", [], other: other) == "10.0.0.1")
    #expect(try self.client(of: "10.0.0.1", ["203.0.113.7"], other: other) == "203.0.113.7")
  }

  @Test("without trusted proxies, the peer is the client")
  func none() throws {
    let peer = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
    #expect(TrustedProxies.none.client(of: peer, [.xForwardedFor: "203.0.113.7"]).ipAddress == "127.0.0.1")
  }

  @Test(
    "an invalid range is rejected",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/0", "::/0", "10.0.0.1/8", "10.0.0.0/8/8",
      "2001:db8::/129", "2001:db8::1/64", "proxy.example", "10.0.0", "10.0.0.0/255.0.0.0", " 10.0.0.1", "[::1]", "fe80::1%eth0",
      "*", "::ffff:10.0.0.0/95", "10.0.0.0/٨",
    ])
  func noRange(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("an IPv4-mapped range is an IPv4 range")
  func mappedRange() throws {
    let range = try #require(AddressRange("::ffff:10.0.0.0/104"))
    #expect(range == AddressRange("10.0.0.0/8"))
    #expect(range.contains([10, 200, 0, 1]) && !range.contains([11, 0, 0, 1]))
  }

  @Test(
    "addresses are counted by network: an IPv4 address, or the first 64 bits of an IPv6 address",
    arguments: [
      ("203.0.113.7", "203.0.113.7", true), ("203.0.113.7", "203.0.113.8", false), ("::ffff:203.0.113.7", "203.0.113.7", true),
      ("2001:db8:0:1::7", "2001:db8:0:1:ffff:ffff:ffff:ffff", true), ("2001:db8:0:1::7", "2001:db8:0:2::7", false),
    ])
  func network(one: String, other: String, isSame: Bool) throws {
    func network(_ text: String) throws -> [UInt8] {
      let address: SocketAddress = try #require(SocketAddress(literal: text))
      return RemoteAddress(address).network
    }
    #expect(try (network(one) == network(other)) == isSame)
  }
}
