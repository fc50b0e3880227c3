extension Username {
  /// Whether a scalar is a visible letter, digit, or mark, and therefore allowed in user names that users or
  /// upstreams choose. With invisible scalars, two different names could look the same.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    return switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
    default: false
    }
  }
}
