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

/// Environment variables: those of this process, or those that a test provides.
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

  /// The value of a variable. An empty value counts as unset.
  subscript(name: String) -> String? {
    self.lookUp(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value of a variable that names a folder. A relative path counts as unset (XDG Base Directory Specification).
  func folder(_ name: String) -> String? {
    self[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The folder for an application's data: `$XDG_DATA_HOME/{application}`, by default `~/.local/share/{application}`.
  ///
  /// On Windows, the folder is `%LOCALAPPDATA%\{application}`, which isn't synchronized to other machines.
  /// - Returns: `nil` if the variables that determine the folder are not set.
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
