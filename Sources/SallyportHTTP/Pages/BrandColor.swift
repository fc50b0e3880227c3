#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A color of the form `#1d5c4d`.
package struct BrandColor: Sendable, Equatable {
  /// The color schemes, with the background of text in each.
  package enum Scheme: Sendable {
    case light, dark

    /// The color `--card` of the scheme in `base.css`.
    var background: BrandColor { self == .light ? BrandColor(255, 254, 251) : BrandColor(28, 32, 35) }
  }

  /// The minimum contrast of text (WCAG 2.2, 1.4.3).
  package static let minimumContrast = 4.5
  static let black = BrandColor(0, 0, 0)
  static let white = BrandColor(255, 255, 255)

  private let channels: [UInt8]

  private init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.channels = [red, green, blue]
  }

  /// - Returns: Nil if the text is not a number sign and six hexadecimal digits.
  package init?(_ text: String) {
    guard text.utf8.count == 7, text.hasPrefix("#"),
      text.utf8.dropFirst().allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(text.dropFirst(), radix: 16)
    else { return nil }
    self.init(UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255))
  }

  var text: String {
    "#" + self.channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns the contrast ratio (WCAG 2.2) of this color on the background of a scheme. On this background, links and
  /// the text of most buttons have this color.
  package func contrast(in scheme: Scheme) -> Double {
    let (foreground, background) = (self.luminance, scheme.background.luminance)
    return (max(foreground, background) + 0.05) / (min(foreground, background) + 0.05)
  }

  /// The relative luminance (WCAG 2.2), from 0 for black to 1 for white.
  private var luminance: Double {
    let linear = self.channels.map { channel -> Double in
      let value = Double(channel) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  /// Returns a mixture with 15% of another color, for a button under the pointer.
  func mixed(with other: BrandColor) -> BrandColor {
    let mixed = zip(self.channels, other.channels).map { UInt8((Int($0) * 85 + Int($1) * 15) / 100) }
    return BrandColor(mixed[0], mixed[1], mixed[2])
  }
}
