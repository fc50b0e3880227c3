extension Username {
  /// Whether a scalar is a visible letter, digit, or combining mark, and therefore allowed in user names that users or
  /// upstreams choose. With invisible scalars, two different names could look the same. Uppercase letters are not
  /// included, because user names are in lowercase.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    return switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
    default: false
    }
  }

  /// Whether a user name that users or upstreams choose may begin with this scalar: a visible letter or digit.
  static func canBegin(with scalar: Unicode.Scalar) -> Bool {
    self.isWord(scalar) && !self.isCombiningMark(scalar)
  }

  /// Whether the name begins with a combining mark, which attaches to the text before the name wherever the name is
  /// shown.
  var beginsWithCombiningMark: Bool {
    self.value.unicodeScalars.first.map(Self.isCombiningMark) ?? false
  }

  private static func isCombiningMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
