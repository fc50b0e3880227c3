import SallyportProtocol

/// The identifier of an authenticator's model (WebAuthn L3 §6.5.1).
package struct AAGUID: Hashable, Sendable, CustomStringConvertible {
  /// 16 bytes.
  package let bytes: [UInt8]

  /// 16 zero bytes, with which authenticators hide their model.
  package static let zero = AAGUID()

  private init() {
    self.bytes = [UInt8](repeating: 0, count: 16)
  }

  /// - Returns: `nil` if there are not 16 bytes.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// Parses the usual spelling: 8-4-4-4-12 hexadecimal digits.
  /// - Returns: `nil` if the text does not have this form.
  package init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in groups.joined().utf8 {
      guard let value = PercentEncoding.hexValue(digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.bytes = bytes
  }

  package var description: String {
    let digits = self.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [digits[..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10...]].map { $0.joined() }.joined(separator: "-")
  }
}
