/// A sequence of steps. In text, steps are separated by newlines or semicolons. A comment begins with `#` in place of a
/// step, and ends at the next newline or semicolon.
struct History: Sendable, LosslessStringConvertible {
  var steps: [Step]

  init(_ steps: [Step]) {
    self.steps = steps
  }

  var description: String { self.steps.map(\.description).joined(separator: "\n") }

  /// - Returns: `nil` if a step is invalid.
  init?(_ description: String) {
    self.steps = []
    for line in description.split(whereSeparator: { $0.isNewline || $0 == ";" }) {
      let text = line.trimmingPrefix { $0.isWhitespace }
      if text.isEmpty || text.hasPrefix("#") { continue }
      guard let step = Step(String(text)) else { return nil }
      self.steps.append(step)
    }
  }

  /// Returns a history that still fails, but not if any single step is removed. Removes long sequences of steps first,
  /// and then single steps.
  /// - Parameter fails: Returns whether a history fails.
  func shrunk(while fails: (History) async throws -> Bool) async rethrows -> History {
    var best = self.steps
    var size = max(1, best.count / 2)
    while true {
      var index = 0
      var isShorter = false
      while index < best.count {
        let candidate = Array(best[..<index] + best[min(index + size, best.count)...])
        if try await fails(History(candidate)) {
          best = candidate
          isShorter = true
        } else {
          index += size
        }
      }
      if size == 1, !isShorter { return History(best) }
      if !isShorter || size > best.count { size = max(1, size / 2) }
    }
  }
}
