import SallyportSystem
import Testing

@testable import SallyportDesktop

@Suite("QR codes in a terminal")
struct QRCodeTests {
  private static let text = "https://id.example/device?user_code=WDJB-MJHT"
  /// The output of libqrencode for ``text``. The program zbarimg decoded this QR code to the same text.
  private static let golden = """
    #######.##....#######.#######
    #.....#......#..##..#.#.....#
    #.###.#.#..####...#.#.#.###.#
    #.###.#.##.#..#.##..#.#.###.#
    #.###.#.####..##.#.#..#.###.#
    #.....#..#..###..#.##.#.....#
    #######.#.#.#.#.#.#.#.#######
    .........#.#..#.###..........
    ####..#.#....##.####.#..###.#
    ...#....##...#..#.###.###...#
    ##.######....##..##.#.#...##.
    ..#.#......###....###.##....#
    ..#.#.#.##.#..##.##......##..
    ..#.##....##..###.##..#...###
    ..#...#.#...#....####.#.#.###
    #.#.....###.#...#..##..#...#.
    #..#####...#.###..####.###.#.
    .##..#......#..#..#......###.
    #.#...##.#.##.###...#.#.#.#..
    ..#..#.###..#..#.##..#....#..
    .#.#.####.##.##.###########..
    ........##..##..#...#...#####
    #######..###....#..##.#.##.#.
    #.....#...#.####..#.#...##.##
    #.###.#..##...#.##..#####.#.#
    #.###.#.##.####.##..##.###..#
    #.###.#.#.#.....#.#.##.#..#.#
    #.....#.#.#.#.......##.###.#.
    #######.#.#.....#.###..##..#.
    """
  private static let wide = Terminal(columns: 200, isUTF8: true, hasColors: false)

  private static func code(_ rows: String) throws -> QRCode {
    let lines = rows.split(separator: "\n")
    return try #require(QRCode(size: lines.count, modules: lines.joined().map { $0 == "#" }))
  }

  @Test("the QR code of a URL equals the verified QR code, module by module", .enabled(if: LibQREncode.shared != nil))
  func golden() throws {
    #expect(try #require(QRCode(Self.text)) == Self.code(Self.golden))
  }

  @Test("a text that is too long or empty, or contains a NUL, yields no QR code", .enabled(if: LibQREncode.shared != nil))
  func impossible() {
    #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
    #expect(QRCode("") == nil)
    #expect(QRCode("a\0b") == nil)
  }

  @Test("two rows of modules form one line, and the quiet zone is four modules wide")
  func characters() throws {
    let lines = try #require(try Self.code("#.#\n##.\n..#").lines(for: Self.wide))
    let light = "███████████"
    #expect(lines == [light, light, "████ ▀▄████", "██████▄████", light, light])
  }

  @Test("the printed lines contain the code with its quiet zone and nothing else")
  func readBack() throws {
    let code = try Self.code(Self.golden)
    let lines = try #require(code.lines(for: Self.wide))
    // The code has 29 rows and columns, and four more on each side. A line has two rows; the last line has only one.
    #expect(lines.count == (29 + 8 + 1) / 2 && lines.allSatisfy { $0.count == 29 + 8 })
    for (index, line) in lines.enumerated() {
      for (column, character) in line.enumerated() {
        // Light modules are printed as blocks, so a half without a block is dark.
        let dark = (above: " ▄".contains(character), below: " ▀".contains(character))
        let row = 2 * index - 4
        #expect(dark.above == code.isDark(row: row, column: column - 4))
        #expect(dark.below == code.isDark(row: row + 1, column: column - 4))
      }
    }
  }

  @Test("with colors, every line is white on black and resets the colors at its end")
  func colors() throws {
    let code = try Self.code("#.#\n##.\n..#")
    let plain = try #require(code.lines(for: Self.wide))
    let colored = try #require(code.lines(for: Terminal(columns: 80, isUTF8: true, hasColors: true)))
    #expect(colored == plain.map { "\u{1B}[97;40m\($0)\u{1B}[0m" })
  }

  @Test(
    "no QR code is printed if the terminal is too narrow, has an unknown width, or is not UTF-8",
    arguments: [(10, true), (nil, true), (80, false)])
  func unreadable(_ columns: Int?, _ isUTF8: Bool) throws {
    // This code needs 11 columns: three modules, and a quiet zone of four modules on each side.
    let code = try Self.code("#.#\n##.\n..#")
    #expect(code.lines(for: Terminal(columns: columns, isUTF8: isUTF8, hasColors: true)) == nil)
    #expect(code.lines(for: Terminal(columns: 11, isUTF8: true, hasColors: true)) != nil)
  }

  @Test(
    "the terminal's capabilities follow from its environment variables",
    arguments: [
      (["LANG": "de_DE.UTF-8", "TERM": "xterm"], true, true), (["LANG": "en_US.utf8", "TERM": "xterm"], true, true),
      (["LANG": "C", "TERM": "xterm"], false, true), (["TERM": "xterm"], false, true),
      (["LANG": "en_US.UTF-8", "LC_ALL": "C", "TERM": "xterm"], false, true),
      (["LANG": "C", "LC_CTYPE": "C.UTF-8", "TERM": "xterm"], true, true),
      (["LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"], true, false),
      (["LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": ""], true, true),
      (["LANG": "C.UTF-8", "TERM": "dumb"], false, false), (["LANG": "C.UTF-8"], false, false),
    ] as [([String: String], Bool, Bool)])
  func variables(_ variables: [String: String], _ isUTF8: Bool, _ hasColors: Bool) {
    let terminal = Terminal(columns: 80, environment: Environment(variables))
    #expect(terminal == Terminal(columns: 80, isUTF8: isUTF8, hasColors: hasColors))
  }

  @Test("an invalid file descriptor is not a terminal")
  func noTerminal() {
    #expect(Terminal(descriptor: -1, environment: Environment([:])) == nil)
  }
}
