/// Makes untrusted text safe to display: one line, limited in length, without invisible characters or characters that
/// change the text direction.
///
/// HTML escaping prevents text from being interpreted as markup. Only cleaning prevents text from reordering or
/// covering the text around it.
package enum DisplayText {
  /// Returns the cleaned text, truncated with an ellipsis if necessary, or `nil` if no visible character remains.
  /// - Parameter limit: The maximum number of characters.
  package static func clean(_ text: String, limit: Int = 64) -> String? {
    var result = String.UnicodeScalarView()
    var marks = 0
    var pendingSpace = false
    var isVisible = false
    // Reading ends after 16 times the limit, so that long text takes little time even if all of it is invisible.
    for scalar in text.unicodeScalars.prefix(limit * 16) {
      if self.isSpace(scalar) {
        pendingSpace = !result.isEmpty
        continue
      }
      guard self.isAllowed(scalar, after: result.last) else { continue }
      marks = self.isCombiningMark(scalar) ? marks + 1 : 0
      // More than four marks on one character could cover the lines above and below it.
      guard marks <= 4 else { continue }
      if pendingSpace { result.append(" ") }
      pendingSpace = false
      isVisible = isVisible || !(self.isCombiningMark(scalar) || scalar.properties.isDefaultIgnorableCodePoint)
      result.append(scalar)
    }
    guard isVisible else { return nil }
    return self.truncate(String(result), limit: limit, isWhole: text.unicodeScalars.count <= limit * 16)
  }

  /// Returns a user's name in cleaned form, or unchanged if no visible character remains. A valid user name has at most
  /// 128 characters and is never truncated, because two users could have names that differ only at the end.
  package static func username(_ name: String) -> String { self.clean(name, limit: 128) ?? name }

  /// Returns the initial value of an input field: the text without control characters, limited to 256 scalars.
  package static func fieldValue(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(256)))
  }

  /// - Parameter isWhole: Whether the original text was read to its end. If not, an ellipsis is always added.
  private static func truncate(_ text: String, limit: Int, isWhole: Bool) -> String {
    // The character limit bounds the visible length. The scalar limit bounds characters that consist of many scalars,
    // such as joined emoji.
    let truncated = String(String.UnicodeScalarView(text.prefix(limit).unicodeScalars.prefix(limit * 4)))
    return truncated.unicodeScalars.count == text.unicodeScalars.count && isWhole ? text : truncated + "…"
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    // U+2800 is a blank Braille pattern: its category is symbol, but it is invisible.
    scalar.properties.isWhitespace || scalar == "\u{2800}"
  }

  private static func isCombiningMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch scalar {
    case "\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}":
      // Joiners and variation selectors are used in Persian, Indic scripts, and emoji. None of them may follow another,
      // except after U+FE0F, as in some emoji.
      return previous.map { !$0.properties.isDefaultIgnorableCodePoint || $0 == "\u{FE0F}" } ?? false
    default:
      break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return false
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
