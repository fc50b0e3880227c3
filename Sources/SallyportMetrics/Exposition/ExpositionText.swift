/// Writes lines in the Prometheus text exposition format 0.0.4.
struct ExpositionText: Sendable {
  private(set) var text = ""

  /// Writes the lines that precede the values of a metric: its help text, if there is one, and its type.
  mutating func begin(_ name: String, _ kind: MetricDescription.Kind, help: String) {
    if !help.isEmpty { self.text += "# HELP \(name) \(Self.escaped(help, escapingQuotes: false))\n" }
    self.text += "# TYPE \(name) \(kind.typeName)\n"
  }

  /// Writes one value of a metric.
  /// - Parameter labels: The labels in the form that ``labels(_:)`` returns.
  mutating func sample(_ name: String, _ labels: String, _ value: String) {
    self.text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  /// Formats labels as `a="x",b="y"`.
  static func labels(_ labels: [(String, String)]) -> String {
    labels.map { "\($0)=\"\(self.escaped($1, escapingQuotes: true))\"" }.joined(separator: ",")
  }

  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Escapes backslashes and line feeds and, in labels, quotation marks. Other line separators are written as line
  /// feeds, because some parsers split lines at these separators.
  private static func escaped(_ text: String, escapingQuotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": escaped += "\\n"
      case "\"" where escapingQuotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
