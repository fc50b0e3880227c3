/// Access to the files that show what kind of machine this is, for example `/.dockerenv` in a container. Tests provide
/// other files.
package struct MachineFiles: Sendable {
  var exists: @Sendable (String) -> Bool
  var content: @Sendable (String) -> String?

  #if os(Windows)
    /// None of the files exists on Windows.
    static let machine = MachineFiles()
  #else
    static let machine = MachineFiles(
      exists: { FileSystem.exists($0) },
      content: { FileSystem.content($0).map { String(decoding: $0, as: UTF8.self) } })
  #endif

  /// Creates a value in which only these files exist.
  /// - Parameter contents: The content of each file, by path.
  package init(_ contents: [String: String] = [:]) {
    self.init(exists: { contents[$0] != nil }, content: { contents[$0] })
  }

  private init(exists: @escaping @Sendable (String) -> Bool, content: @escaping @Sendable (String) -> String?) {
    self.exists = exists
    self.content = content
  }
}
