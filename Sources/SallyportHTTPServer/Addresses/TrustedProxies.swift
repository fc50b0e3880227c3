import HTTPTypes
import NIOCore

/// The proxies in front of the server. Only their `X-Forwarded-For` fields are trusted.
///
/// Similar fields, such as `Forwarded`, are not read: a proxy usually sets only one of them and forwards the others
/// unchanged, so a client could forge those. The scheme and host come from the configured issuer, never from a request.
public struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// No proxies: every connection comes from the client itself.
  public static let none = TrustedProxies([])

  public init(_ ranges: [AddressRange]) {
    self.ranges = ranges
  }

  package var isEmpty: Bool { self.ranges.isEmpty }

  /// Returns the address of the client that sent a request.
  ///
  /// Each proxy appends the address of its own peer to `X-Forwarded-For`. This function starts with the peer of the
  /// connection, reads the field from its end, and stops at the first address that is not a trusted proxy. The client
  /// may have forged everything before that address.
  /// - Returns: The first address that is not a trusted proxy. If all addresses are trusted proxies, or if the next
  ///   element is not an address, the result is the trusted proxy that was read last.
  func client(of peer: SocketAddress, _ headers: HTTPFields) -> SocketAddress {
    var address = peer.unmapped
    guard self.contains(address) else { return address }
    for field in headers[values: .xForwardedFor].reversed() {
      for element in field.split(separator: ",").reversed() {
        let element = element.trimmingOuterWhitespace
        // RFC 9110 §5.6.1.2: empty elements are ignored.
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

  /// Parses an address as proxies write it: alone, with a port (`192.0.2.7:4711`, `[2001:db8::7]:4711`), or in
  /// brackets.
  private static func address(_ element: Substring) -> SocketAddress? {
    if element.first == "[" {
      guard let end = element.firstIndex(of: "]"), self.isEmptyOrPort(element[element.index(after: end)...]) else { return nil }
      let inside = element[element.index(after: element.startIndex)..<end]
      return inside.contains(":") ? SocketAddress(literal: inside) : nil
    }
    // With exactly one colon, the address is an IPv4 address with a port.
    if let colon = element.firstIndex(of: ":"), !element[element.index(after: colon)...].contains(":") {
      return self.isEmptyOrPort(element[colon...]) ? SocketAddress(literal: element[..<colon]) : nil
    }
    return SocketAddress(literal: element)
  }

  /// Whether a text is empty, or consists of a colon and a port number.
  private static func isEmptyOrPort(_ text: Substring) -> Bool {
    text.isEmpty
      || (text.first == ":" && (1...5).contains(text.utf8.count - 1)
        && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
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
