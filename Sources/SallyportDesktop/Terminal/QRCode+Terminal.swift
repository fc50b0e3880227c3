extension QRCode {
  /// The lines that show this code on a terminal; nil where it could not be read from that one.
  ///
  /// One character is two modules, one above the other. The light ones are drawn and the dark ones left out, which is right on a
  /// dark terminal; with colours it is right on every one.
  public func lines(for terminal: Terminal) -> [String]? {
    let width = self.size + 2 * Self.quietZone
    guard terminal.isUTF8, let columns = terminal.columns, width <= columns else { return nil }
    return stride(from: -Self.quietZone, to: self.size + Self.quietZone, by: 2).map { row in
      let characters = (-Self.quietZone..<(self.size + Self.quietZone)).map { column in
        self.character(above: self.isDark(row: row, column: column), below: self.isDark(row: row + 1, column: column))
      }
      let line = String(characters)
      // White on black, and back to what was before.
      return terminal.hasColors ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }
  }

  private func character(above: Bool, below: Bool) -> Character {
    switch (above, below) {
    case (false, false): "█"
    case (false, true): "▀"
    case (true, false): "▄"
    case (true, true): " "
    }
  }

  /// In modules: what the standard asks for, without which a reader does not find the code.
  private static let quietZone = 4
}
