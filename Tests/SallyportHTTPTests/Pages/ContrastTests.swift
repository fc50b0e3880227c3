import Foundation
import SallyportHTTP
import Testing

@Suite("Contrast")
struct ContrastTests {
  enum Scheme: CaseIterable { case light, dark }

  /// Two colors, by their names in the style sheet.
  struct Pair: Sendable, CustomTestStringConvertible {
    let front: String
    let back: String
    /// The minimum contrast: 4.5 for text (WCAG 1.4.3), and 3 for borders, icons, and focus (WCAG 1.4.11).
    let minimum: Double

    var testDescription: String { "\(self.front) on \(self.back)" }
  }

  static let pairs = [
    Pair(front: "ink", back: "page", minimum: 4.5),
    Pair(front: "ink", back: "card", minimum: 4.5),
    Pair(front: "quiet", back: "card", minimum: 4.5),
    Pair(front: "link", back: "card", minimum: 4.5),
    Pair(front: "accent-ink", back: "accent", minimum: 4.5),
    Pair(front: "accent-ink", back: "accent-hover", minimum: 4.5),
    Pair(front: "warn-ink", back: "warn", minimum: 4.5),
    Pair(front: "alert-ink", back: "alert", minimum: 4.5),
    Pair(front: "edge", back: "card", minimum: 3),
    Pair(front: "accent", back: "card", minimum: 3),
    Pair(front: "accent", back: "page", minimum: 3),
    Pair(front: "focus", back: "card", minimum: 3),
    Pair(front: "focus", back: "page", minimum: 3),
    Pair(front: "warn-edge", back: "card", minimum: 3),
    Pair(front: "warn-edge", back: "warn", minimum: 3),
    Pair(front: "alert-edge", back: "card", minimum: 3),
    Pair(front: "alert-edge", back: "alert", minimum: 3),
  ]

  @Test("colors have the contrast that WCAG 2.2 AA requires, in both color schemes", arguments: Scheme.allCases, Self.pairs)
  func contrast(_ scheme: Scheme, pair: Pair) throws {
    let palette = try Self.palette(scheme)
    let front = try Self.luminance(palette[pair.front])
    let back = try Self.luminance(palette[pair.back])
    #expect((max(front, back) + 0.05) / (min(front, back) + 0.05) >= pair.minimum)
  }

  @Test("both schemes define the same colors, and rules use no others")
  func palettes() throws {
    let light = try Self.palette(.light)
    // The style sheet has 17 colors. The pattern in palette(_:) must find all of them.
    #expect(light.count == 17)
    #expect(try Self.palette(.dark).keys.sorted() == light.keys.sorted())
    let css = String(decoding: Asset.styleSheet.bytes, as: UTF8.self)
    // The rules begin after the palettes, with the selector `*, *::before`.
    let rules = css.split(separator: "*, *::before", maxSplits: 1)
    #expect(try #require(rules.last).firstMatch(of: /#[0-9a-fA-F]{3,8}\b/) == nil)
    for name in css.matches(of: /var\(--([a-z-]+)\)/).map({ String($0.1) }) { #expect(light[name] != nil, "\(name)") }
  }

  /// The colors of a scheme by their names. The first `:root` block of the style sheet contains the light scheme, and
  /// the second one the dark scheme.
  private static func palette(_ scheme: Scheme) throws -> [String: String] {
    let blocks = String(decoding: Asset.styleSheet.bytes, as: UTF8.self).split(separator: ":root {")
    let block = try #require(blocks.dropFirst(scheme == .light ? 1 : 2).first)
    return Dictionary(
      block.matches(of: /--([a-z-]+): #([0-9a-f]{6});/).map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
  }

  /// The relative luminance of a color, as WCAG 2.2 defines it.
  private static func luminance(_ color: String?) throws -> Double {
    let digits = try #require(color)
    let number = Int(digits, radix: 16)
    let value = try #require(number)
    let channels = [value >> 16, value >> 8 & 255, value & 255].map { channel in
      let part = Double(channel) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }
}
