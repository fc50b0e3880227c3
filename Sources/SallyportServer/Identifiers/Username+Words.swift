extension Username {
  /// Whether a scalar can be part of a user name that users or other providers choose: a letter, a digit, or a mark that is
  /// visible. Invisible scalars would make two different names look the same.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    return switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
    default: false
    }
  }
}
