import SallyportProtocol
import SallyportServer

/// Reads settings from several sources and collects all mistakes. Earlier sources take precedence.
struct SettingsReader {
  private let sources: [SettingSource]
  private(set) var mistakes: [String]

  /// - Parameter sources: The sources, in the order of their precedence.
  init(_ sources: [SettingSource]) {
    self.sources = sources
    self.mistakes = sources.flatMap(\.mistakes)
  }

  /// Returns a setting from the first source that contains the setting; nil if no source does.
  func given(_ setting: Setting) -> GivenSetting? {
    self.sources.lazy.compactMap { $0.given[setting] }.first
  }

  /// Reads a single value.
  /// - Parameters:
  ///   - expected: What the value must be, for the error message: "a directory path".
  ///   - parse: Returns nil for an invalid value.
  /// - Returns: Nil if the setting is missing or invalid. An invalid value is reported as a mistake.
  mutating func read<T>(_ setting: Setting, _ expected: String, _ parse: (String) -> T?) -> T? {
    guard let given = self.given(setting), let text = given.values.first else { return nil }
    guard let value = parse(text) else {
      self.reject(setting, expected)
      return nil
    }
    return value
  }

  /// Reads all values of a list.
  /// - Returns: Nil if the setting is missing, or if one of the values is invalid, which is reported as a mistake.
  mutating func readList<T>(_ setting: Setting, _ expected: String, _ parse: (String) -> T?) -> [T]? {
    guard let given = self.given(setting) else { return nil }
    let values = given.values.map(parse)
    guard !values.contains(where: { $0 == nil }) else {
      self.reject(setting, expected)
      return nil
    }
    return values.compactMap { $0 }
  }

  mutating func readNumber(_ setting: Setting, _ range: ClosedRange<Int>) -> Int? {
    self.read(setting, "a number from \(range.lowerBound) to \(range.upperBound)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func readBool(_ setting: Setting) -> Bool? {
    self.read(setting, "true or false") { ["true": true, "false": false][$0] }
  }

  /// Reads a duration such as `90s`, `10m`, `12h`, or `30d`.
  mutating func readTime(_ setting: Setting, from first: String, to last: String) -> Duration? {
    guard let minimum = Duration(setting: first), let maximum = Duration(setting: last) else { return nil }
    return self.read(setting, "a duration from \(first) to \(last), such as 90s, 10m, 12h, or 30d") {
      Duration(setting: $0).flatMap { (minimum...maximum).contains($0) ? $0 : nil }
    }
  }

  /// Adds a mistake in something that a setting refers to, such as a file.
  mutating func add(_ mistake: String) {
    self.mistakes.append(mistake)
  }

  /// Adds a mistake about a setting.
  /// - Parameter problem: The predicate of a sentence about the setting: "requires tls.key".
  mutating func report(_ setting: Setting, _ problem: String) {
    self.mistakes.append("\(self.given(setting)?.place ?? setting.rawValue) \(problem)")
  }

  /// Reports that a setting has an invalid value.
  private mutating func reject(_ setting: Setting, _ expected: String) {
    let value = self.given(setting)?.values.joined(separator: " ") ?? ""
    self.report(setting, "must be \(expected), \(value.isEmpty ? "but is empty" : "not \"\(value)\"")")
  }
}

extension Duration {
  /// Parses a whole number from 0 to 1,000,000 with the unit `s`, `m`, `h`, or `d`.
  init?(setting text: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), (0...1_000_000).contains(count) else {
      return nil
    }
    self = .seconds(count * unit)
  }
}
