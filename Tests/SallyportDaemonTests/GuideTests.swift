import Foundation
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("Settings in the documentation")
struct GuideTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("every settings file in the README and the guides is valid")
  func guides() throws {
    let folder = Self.root.appending(path: "docs/guides")
    let pages = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    // This folder replaces /etc/sallyport, and contains the files that the examples name.
    let files = FileManager.default.temporaryDirectory.appending(path: "guides-\(UUID())")
    try FileManager.default.createDirectory(at: files.appending(path: "pages"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: files) }
    try Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8).write(to: files.appending(path: "logo.svg"))
    var count = 0
    for page in pages.filter({ $0.pathExtension == "md" }) + [Self.root.appending(path: "README.md")] {
      for block in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```yaml\n").dropFirst() {
        count += 1
        let text = block.components(separatedBy: "```")[0].replacing("/etc/sallyport", with: files.path)
        #expect(throws: Never.self, "\(page.lastPathComponent):\n\(text)") {
          try ServerSettings([SettingSource(file: text, path: page.lastPathComponent)])
        }
      }
    }
    #expect(count >= 3)
  }

  @Test("with the packaged settings, the server listens on loopback and apps cannot register themselves")
  func packaged() throws {
    let path = Self.root.appending(path: "Packaging/sallyportd.yaml").path
    let settings = try ServerSettings([SettingSource(contentsOf: path)])
    #expect(settings.data == "/var/lib/sallyport" && settings.host == "127.0.0.1" && !settings.server.issuer.isHTTPS)
    #expect(settings.server.registration.mode == .off)
  }
}
