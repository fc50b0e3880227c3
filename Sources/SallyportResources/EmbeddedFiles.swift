package import CResources

/// The files in the `Resources` folder of a module, which are part of the program.
///
/// `CResources` embeds the files with the `#embed` directive of C. The package manager would embed a file as a Swift
/// array of numbers, which takes a second to compile for every few kilobytes.
package struct EmbeddedFiles: Sendable {
  private let find: @Sendable @convention(c) (UnsafePointer<CChar>) -> EmbeddedFile

  /// - Parameter find: The function of `CResources` that finds the files of the module.
  package init(_ find: @escaping @Sendable @convention(c) (UnsafePointer<CChar>) -> EmbeddedFile) {
    self.find = find
  }

  /// The content of a file.
  /// - Parameter path: The path in the `Resources` folder, such as `style.css`.
  /// - Returns: Nil if there is no such file.
  package subscript(path: String) -> UnsafeBufferPointer<UInt8>? {
    let file = self.find(path)
    return file.bytes.map { UnsafeBufferPointer(start: $0, count: file.size) }
  }

  /// The content of a UTF-8 file; empty if there is no such file.
  package func text(_ path: String) -> String {
    self[path].map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
