import HTTPTypes
import NIOCore

/// The proxies in front of this server, by which alone an `X-Forwarded-For` is believed.
///
/// It is the one field of its kind that is read. A proxy which writes one passes the others through as the client sent them: who
/// reads both reads what anybody has made up. The issuer is configured, so scheme and host of a request are asked of nobody.
public struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// Every connection comes from the client itself.
  public static let none = TrustedProxies([])

  public init(_ ranges: [AddressRange]) {
    self.ranges = ranges
  }

  package var isEmpty: Bool { self.ranges.isEmpty }

  /// Where a request comes from. Each proxy has added the address of its own peer at the end, so the list is read from there,
  /// over the proxies that are named, up to the first address that is not one of them; what stands before it may be made up.
  /// - Returns: the proxy that was trusted last where the list ends, or where it holds something else than an address.
  func client(of peer: SocketAddress, _ headers: HTTPFields) -> SocketAddress {
    var address = peer.unmapped
    guard self.contains(address) else { return address }
    for field in headers[values: .xForwardedFor].reversed() {
      for element in field.split(separator: ",").reversed() {
        let element = element.trimmingOuterWhitespace
        // RFC 9110 §5.6.1.2: empty elements count for nothing.
        if element.isEmpty { continue }
        guard let next = Self.address(element) else { return address }
        address = next
        guard self.contains(address) else { return address }
      }
    }
    return address
  }

  func contains(_ address: SocketAddress) -> Bool {
    let bytes = address.ipBytes
    return self.ranges.contains { $0.contains(bytes) }
  }

  /// An address as proxies write it: alone, with a port (`192.0.2.7:4711`, `[2001:db8::7]:4711`), or in brackets.
  private static func address(_ element: Substring) -> SocketAddress? {
    if element.first == "[" {
      guard let end = element.firstIndex(of: "]"), self.isPort(element[element.index(after: end)...]) else { return nil }
      let inside = element[element.index(after: element.startIndex)..<end]
      return inside.contains(":") ? SocketAddress(literal: inside) : nil
    }
    if let colon = element.firstIndex(of: ":"), !element[element.index(after: colon)...].contains(":") {
      return self.isPort(element[colon...]) ? SocketAddress(literal: element[..<colon]) : nil
    }
    return SocketAddress(literal: element)
  }

  /// Nothing, or a colon and digits.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty
      || text.first == ":" && (1...5).contains(text.utf8.count - 1)
        && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension Substring {
  fileprivate var trimmingOuterWhitespace: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

extension HTTPField.Name {
  static let xForwardedFor = Self.known("X-Forwarded-For")
}
