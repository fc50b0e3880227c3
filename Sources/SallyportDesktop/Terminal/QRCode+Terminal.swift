extension QRCode {
  /// The lines that display this code in a terminal, or `nil` if the terminal cannot display it.
  ///
  /// Each character represents two modules (squares of the code), one above the other. Light modules are drawn and dark
  /// modules are left blank, which requires a dark background. If the terminal supports colors, the lines set a black
  /// background.
  public func lines(for terminal: Terminal) -> [String]? {
    let width = self.size + 2 * Self.quietZone
    guard terminal.isUTF8, let columns = terminal.columns, width <= columns else { return nil }
    return stride(from: -Self.quietZone, to: self.size + Self.quietZone, by: 2).map { row in
      let characters = (-Self.quietZone..<(self.size + Self.quietZone)).map { column in
        self.character(above: self.isDark(row: row, column: column), below: self.isDark(row: row + 1, column: column))
      }
      let line = String(characters)
      // White on black, then reset.
      return terminal.hasColors ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }
  }

  /// The character for two modules.
  /// - Parameters:
  ///   - above: Whether the upper module is dark.
  ///   - below: Whether the lower module is dark.
  private func character(above: Bool, below: Bool) -> Character {
    switch (above, below) {
    case (false, false): "█"
    case (false, true): "▀"
    case (true, false): "▄"
    case (true, true): " "
    }
  }

  /// The width of the margin in modules. The standard requires it so that readers can find the code.
  private static let quietZone = 4
}
