import CResources
import SallyportResources
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Embedded files")
struct EmbeddedFilesTests {
  @Test(
    "every file in a Resources folder is part of the program, with the same content",
    arguments: ["SallyportLook", "SallyportDesktop", "SallyportServer", "SallyportHTTP"])
  func complete(_ module: String) throws {
    let files =
      switch module {
      case "SallyportLook": EmbeddedFiles(sallyport_look_file)
      case "SallyportDesktop": EmbeddedFiles(sallyport_desktop_file)
      case "SallyportServer": EmbeddedFiles(sallyport_server_file)
      default: EmbeddedFiles(sallyport_http_file)
      }
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/\(module)/Resources").standardizedFileURL
    var count = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      // `contents(atPath:)` returns nil for a folder.
      guard let content = FileManager.default.contents(atPath: folder.appending(path: path).path) else { continue }
      count += 1
      let embedded = try #require(files[path], "\(path) is not in CResources")
      #expect(Array(embedded) == Array(content), "\(path)")
    }
    #expect(count > 0)
    #expect(files["missing.txt"] == nil)
  }
}
