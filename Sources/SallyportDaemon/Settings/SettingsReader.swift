import SallyportProtocol
import SallyportServer

/// Reads settings out of several sources, the first that says something wins, and collects every mistake on the way.
struct SettingsReader {
  private let sources: [SettingSource]
  private(set) var mistakes: [String]

  /// - Parameter sources: the strongest first.
  init(_ sources: [SettingSource]) {
    self.sources = sources
    self.mistakes = sources.flatMap(\.mistakes)
  }

  /// The values of a list; nil where nobody says anything.
  func given(_ setting: Setting) -> GivenSetting? {
    self.sources.lazy.compactMap { $0.given[setting] }.first
  }

  /// One value.
  /// - Parameters:
  ///   - expected: what it has to be, in words for the operator.
  ///   - parse: nil for a text that is not that.
  /// - Returns: nil where nobody says anything, and where what is said is wrong, which is then among the mistakes.
  mutating func read<T>(_ setting: Setting, _ expected: String, _ parse: (String) -> T?) -> T? {
    guard let given = self.given(setting), let text = given.values.first else { return nil }
    guard let value = parse(text) else {
      self.refuse(setting, expected)
      return nil
    }
    return value
  }

  /// Every value of a list.
  mutating func readList<T>(_ setting: Setting, _ expected: String, _ parse: (String) -> T?) -> [T]? {
    guard let given = self.given(setting) else { return nil }
    let values = given.values.map(parse)
    guard !values.contains(where: { $0 == nil }) else {
      self.refuse(setting, expected)
      return nil
    }
    return values.compactMap { $0 }
  }

  mutating func readNumber(_ setting: Setting, _ range: ClosedRange<Int>) -> Int? {
    self.read(setting, "a number from \(range.lowerBound) to \(range.upperBound) is due") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func readSwitch(_ setting: Setting) -> Bool? {
    self.read(setting, "true or false is due") { ["true": true, "false": false][$0] }
  }

  /// A time such as `90s`, `10m`, `12h` or `30d`.
  mutating func readTime(_ setting: Setting, from first: String, to last: String) -> Duration? {
    guard let least = Duration(setting: first), let most = Duration(setting: last) else { return nil }
    return self.read(setting, "a time from \(first) to \(last) is due, such as 90s, 10m, 12h or 30d") {
      Duration(setting: $0).flatMap { (least...most).contains($0) ? $0 : nil }
    }
  }

  /// Notes a mistake of something that a setting names.
  mutating func note(_ mistake: String) {
    self.mistakes.append(mistake)
  }

  /// Notes a mistake in what was said.
  mutating func refuse(_ setting: Setting, _ reason: String) {
    let given = self.given(setting)
    let said = given.map { " \($0.values.joined(separator: " "))" } ?? ""
    self.mistakes.append("\(given?.place ?? setting.rawValue)\(said): \(reason)")
  }
}

extension Duration {
  /// A whole number with the unit `s`, `m`, `h` or `d`.
  init?(setting text: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), (0...1_000_000).contains(count) else {
      return nil
    }
    self = .seconds(count * unit)
  }
}
