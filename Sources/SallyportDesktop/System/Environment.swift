#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// The environment variables, read one at a time; tests bring their own.
package struct Environment: Sendable {
  private let lookUp: @Sendable (String) -> String?

  /// This process's environment.
  package static let process = Environment { name in
    #if os(Windows)
      WindowsText.environment(name)
    #else
      getenv(name).map { String(cString: $0) }
    #endif
  }

  package init(_ values: [String: String]) {
    self.init { values[$0] }
  }

  private init(lookUp: @escaping @Sendable (String) -> String?) {
    self.lookUp = lookUp
  }

  /// The variable's value; an empty one counts as unset.
  subscript(name: String) -> String? {
    self.lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A variable that names a folder; a relative path counts as unset, as the XDG base directory specification says.
  func folder(_ name: String) -> String? {
    self[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// Where this person's data of an application rests: `$XDG_DATA_HOME/{application}`, by default `~/.local/share/{application}`.
  /// On Windows `%LOCALAPPDATA%\{application}`, which stays on this machine.
  func dataFolder(_ application: ApplicationName) -> String? {
    #if os(Windows)
      return self["LOCALAPPDATA"].map { "\($0)\\\(application)" }
    #else
      return self.xdgDataFolder(application)
    #endif
  }

  private func xdgDataFolder(_ application: ApplicationName) -> String? {
    if let data = self.folder("XDG_DATA_HOME") { return "\(data)/\(application)" }
    return self.folder("HOME").map { "\($0)/.local/share/\(application)" }
  }
}
