import FoundationEssentials
import Glibc
import Yams

/// The values that one source gives for a setting.
struct GivenSetting: Sendable, Equatable {
  /// Contains several values only if the setting is a list.
  var values: [String]
  /// Where the source specifies the setting, for messages: `--port`, `SALLYPORTD_LISTEN_PORT`, or
  /// `sallyportd.yaml, line 3: listen.port`.
  var place: String
}

/// A source of settings: the command line, the environment, or a file.
struct SettingSource: Sendable, Equatable {
  var given: [Setting: GivenSetting] = [:]
  /// The mistakes in the source itself, such as unknown names.
  var mistakes: [String] = []

  init(flags: [Setting: (name: String, values: [String])]) {
    self.given = flags.mapValues { GivenSetting(values: $0.values, place: $0.name) }
  }

  /// Reads the variables that begin with ``Setting/variablePrefix``. The values of a list are separated by spaces.
  ///
  /// The variables with which Kubernetes describes the cluster's services are ignored. For a service named
  /// `sallyportd`, their names begin with the same prefix.
  init(environment: [String: String]) {
    let names = Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0.variable, $0) })
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(Setting.variablePrefix) {
      if Self.describesService(name, value) { continue }
      guard let setting = names[name] else {
        self.mistakes.append("\(name) is not a setting")
        continue
      }
      self.given[setting] = GivenSetting(
        values: setting.isList ? value.split(separator: " ").map(String.init) : [value], place: name)
    }
  }

  /// Whether Kubernetes adds such a variable to each container for a service of the cluster.
  private static func describesService(_ name: String, _ value: String) -> Bool {
    let names = /.*_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)/
    return name.wholeMatch(of: names) != nil || name.hasSuffix("_PORT") && value.contains("://")
  }

  /// Reads the text of a file.
  /// - Parameters:
  ///   - file: YAML, or JSON, which is also valid YAML. The name of a setting can be written with dots or as nested
  ///     mappings.
  ///   - path: The path, for messages.
  init(file: String, path: String) {
    do {
      guard let root = try Yams.compose(yaml: file) else { return }
      self.read(root, under: "", path)
    } catch {
      self.mistakes.append("\(path) is not valid YAML: \(String(describing: error).split(separator: "\n").first ?? "")")
    }
  }

  /// Reads a file. If the file cannot be read, ``mistakes`` contains the reason.
  init(contentsOf path: String) {
    let data = FileManager.default.contents(atPath: path)
    let text = data.flatMap { String(validating: $0, as: UTF8.self) }
    self.init(file: text ?? "", path: path)
    if text == nil { self.mistakes = ["\(path) \(data == nil ? "cannot be read: \(Self.reason(path))" : "is not UTF-8")"] }
  }

  private static func reason(_ path: String) -> String {
    access(path, R_OK) == 0 ? "it is not a regular file" : FileSystem.systemError
  }

  /// Reads a setting, or all settings in a mapping.
  /// - Parameters:
  ///   - name: The names of the mappings that contain the node, and its own name, separated by periods. Empty for the
  ///     whole file.
  ///   - path: The path of the file, for messages.
  private mutating func read(_ node: Node, under name: String, _ path: String) {
    let place = "\(path), line \(node.mark?.line ?? 1)"
    // Below a name that is not a setting, such as `listen`, a mapping contains settings, such as `listen.port`.
    if case .mapping(let mapping) = node, name.isEmpty || Setting(rawValue: name) == nil {
      for (key, value) in mapping {
        let part = key.string ?? ""
        self.read(value, under: name.isEmpty ? part : "\(name).\(part)", path)
      }
      return
    }
    guard let setting = Setting(rawValue: name) else {
      self.mistakes.append(
        "\(place): \(name.isEmpty ? "settings must be a mapping of names to values" : "\(name) is not a setting")")
      return
    }
    guard self.given[setting] == nil else {
      self.mistakes.append("\(place): \(name) is set twice")
      return
    }
    guard let values = Self.texts(node, isList: setting.isList) else {
      self.mistakes.append("\(place): \(name) must be \(setting.isList ? "a list of values" : "a single value")")
      return
    }
    self.given[setting] = GivenSetting(values: values, place: "\(place): \(name)")
  }

  /// Returns the values of a setting; nil if the node is empty (`null`), or has the wrong type.
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
  /// Whether the setting can have several values.
  var isList: Bool {
    [
      .resources, .proxies, .scopesRequiredContexts, .passkeysOrigins, .passkeysAuthenticators, .registrationSchemes,
      .registrationDocumentHosts,
    ]
    .contains(self)
  }
}
