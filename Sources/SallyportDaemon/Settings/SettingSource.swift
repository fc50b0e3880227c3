import Yams

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What one place says about a setting, as text, with the words for where it stands.
struct GivenSetting: Sendable, Equatable {
  /// More than one only where the setting is a list.
  var values: [String]
  /// `--port`, `SALLYPORTD_LISTEN_PORT` or `sallyportd.yaml, line 3: listen.port`.
  var place: String
}

/// One of the places where settings stand: the command line, the environment, or a file.
struct SettingSource: Sendable, Equatable {
  var given: [Setting: GivenSetting] = [:]
  /// What is wrong with the place itself, such as a name that is no setting's.
  var mistakes: [String] = []

  init(flags: [Setting: (name: String, values: [String])]) {
    self.given = flags.mapValues { GivenSetting(values: $0.values, place: $0.name) }
  }

  /// - Parameter environment: all of it; only what begins with ``Setting/variablePrefix`` is looked at. A list is separated by spaces.
  init(environment: [String: String]) {
    let names = Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0.variable, $0) })
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(Setting.variablePrefix) {
      guard let setting = names[name] else {
        self.mistakes.append("\(name): there is no such setting")
        continue
      }
      self.given[setting] = GivenSetting(
        values: setting.isList ? value.split(separator: " ").map(String.init) : [value], place: name)
    }
  }

  /// - Parameters:
  ///   - file: YAML (or JSON, which is YAML); the parts of a setting's name are nested mappings, or written with dots.
  ///   - path: for messages.
  init(file: String, path: String) {
    do {
      guard let root = try Yams.compose(yaml: file) else { return }
      self.read(root, under: "", path)
    } catch {
      self.mistakes.append("\(path): not YAML: \(String(describing: error).split(separator: "\n").first ?? "")")
    }
  }

  /// A file that cannot be read is a mistake like any other, and is told with the others.
  init(contentsOf path: String) {
    let data = FileManager.default.contents(atPath: path)
    let text = data.flatMap { String(validating: $0, as: UTF8.self) }
    self.init(file: text ?? "", path: path)
    if text == nil { self.mistakes = ["\(path): \(data == nil ? "cannot be read: \(Self.reason(path))" : "not UTF-8")"] }
  }

  private static func reason(_ path: String) -> String {
    access(path, R_OK) == 0 ? "it is no file" : PrivateFiles.systemError
  }

  private mutating func read(_ node: Node, under name: String, _ path: String) {
    let place = "\(path), line \(node.mark?.line ?? 1)"
    if case .mapping(let mapping) = node, name.isEmpty || Setting(rawValue: name) == nil {
      for (key, value) in mapping {
        self.read(value, under: name.isEmpty ? key.string ?? "" : "\(name).\(key.string ?? "")", path)
      }
      return
    }
    guard let setting = Setting(rawValue: name) else {
      self.mistakes.append("\(place): \(name.isEmpty ? "settings are names with values" : "\(name): there is no such setting")")
      return
    }
    guard self.given[setting] == nil else {
      self.mistakes.append("\(place): \(name): said twice")
      return
    }
    guard let values = Self.texts(node, isList: setting.isList) else {
      self.mistakes.append("\(place): \(name): \(setting.isList ? "a list of values" : "one value") is due")
      return
    }
    self.given[setting] = GivenSetting(values: values, place: "\(place): \(name)")
  }

  private static func texts(_ node: Node, isList: Bool) -> [String]? {
    switch node {
    case .scalar(let scalar): node.null == nil ? [scalar.string] : nil
    case .sequence(let sequence) where isList:
      sequence.allSatisfy { $0.scalar != nil && $0.null == nil } ? sequence.compactMap { $0.scalar?.string } : nil
    default: nil
    }
  }
}

extension Setting {
  /// Whether it may have several values.
  var isList: Bool { [.resources, .proxies, .registrationSchemes, .registrationDocumentHosts].contains(self) }
}
