/// Makes the names and labels of metrics valid.
enum MetricNames {
  /// The maximum length of a label value, in bytes. Longer values are truncated.
  private static let longestValue = 256

  /// Converts a metric name to the form `[a-zA-Z_:][a-zA-Z0-9_:]*`.
  static func metric(_ name: String) -> String {
    self.sanitized(name, alsoAllowed: [UInt8(ascii: ":")])
  }

  /// Converts label names to the form `[a-zA-Z_][a-zA-Z0-9_]*`, removes duplicates, truncates long values, and sorts
  /// the labels. The name `le` becomes `label_le`, and names that start with `__` get the prefix `label`, because the
  /// format reserves these names.
  static func labels(_ dimensions: [(String, String)]) -> [(String, String)] {
    var labels: [String: String] = [:]
    for (name, value) in dimensions {
      var name = self.sanitized(name, alsoAllowed: [])
      if name == "le" || name.hasPrefix("__") { name = "label" + (name.hasPrefix("_") ? name : "_\(name)") }
      if labels[name] == nil { labels[name] = self.truncated(value) }
    }
    return labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func sanitized(_ name: String, alsoAllowed: [UInt8]) -> String {
    let bytes = name.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        byte
      default: alsoAllowed.contains(byte) ? byte : UInt8(ascii: "_")
      }
    }
    // A name must not be empty or begin with a digit.
    let needsPrefix = bytes.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
    return (needsPrefix ? "_" : "") + String(decoding: bytes, as: UTF8.self)
  }

  private static func truncated(_ value: String) -> String {
    guard value.utf8.count > self.longestValue else { return value }
    var bounded = ""
    for scalar in value.unicodeScalars {
      guard bounded.utf8.count + UTF8.width(scalar) <= self.longestValue else { break }
      bounded.unicodeScalars.append(scalar)
    }
    return bounded
  }
}
