/// Access to the files that show what kind of machine this is. Tests provide other files.
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

  /// Creates a value with these files only.
  package init(_ contents: [String: String] = [:]) {
    self.init(exists: { contents[$0] != nil }, content: { contents[$0] })
  }

  private init(exists: @escaping @Sendable (String) -> Bool, content: @escaping @Sendable (String) -> String?) {
    self.exists = exists
    self.content = content
  }
}
