/// Makes text from outside fit to be shown: one line, no invisible or direction-changing characters, bounded.
///
/// Escaping keeps a name from becoming markup; this keeps it from looking like something else, or from covering what stands
/// beside it.
package enum DisplayText {
  /// The cleaned text, cut with an ellipsis, or nil where nothing visible is left.
  package static func clean(_ text: String, limit: Int = 64) -> String? {
    var result = String.UnicodeScalarView()
    var marks = 0
    var pendingSpace = false
    var isVisible = false
    for scalar in text.unicodeScalars.prefix(limit * 16) {
      if self.isSpace(scalar) {
        pendingSpace = !result.isEmpty
        continue
      }
      guard self.isAllowed(scalar, after: result.last) else { continue }
      marks = self.isMark(scalar) ? marks + 1 : 0
      guard marks <= 4 else { continue }
      if pendingSpace { result.append(" ") }
      pendingSpace = false
      isVisible = isVisible || !(self.isMark(scalar) || scalar.properties.isDefaultIgnorableCodePoint)
      result.append(scalar)
    }
    guard isVisible else { return nil }
    return self.cut(String(result), limit: limit, isWhole: text.unicodeScalars.count <= limit * 16)
  }

  /// An app's name, or words for an app that has none.
  package static func appName(_ text: String) -> String {
    self.clean(text) ?? "an app without a name"
  }

  /// What an input field shows at first: as it was given, but for control characters and length.
  package static func fieldValue(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(256)))
  }

  private static func cut(_ text: String, limit: Int, isWhole: Bool) -> String {
    // Characters bound what is seen; scalars bound what one character can carry, such as a chain of joined emoji.
    let cut = String(String.UnicodeScalarView(text.prefix(limit).unicodeScalars.prefix(limit * 4)))
    return cut.unicodeScalars.count == text.unicodeScalars.count && isWhole ? text : cut + "…"
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    // U+2800 is a blank braille pattern: a symbol by category, nothing to the eye.
    scalar.properties.isWhitespace || scalar == "\u{2800}"
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch scalar {
    case "\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}":
      // Joiners and variation selectors belong to Persian, Indic scripts and emoji; two in a row belong to nothing.
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
