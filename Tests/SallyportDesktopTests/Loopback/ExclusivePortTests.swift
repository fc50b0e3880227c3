import Testing

@testable import SallyportDesktop

/// Reads source text, because the code for Windows cannot run here. `Scripts/platforms windows` compiles it.
struct ExclusivePortTests {
  /// The lines of a source file without comments and surrounding spaces.
  private static func code(_ path: String) throws -> [String] {
    let tests = "Tests/SallyportDesktopTests/"
    let here = "\(#filePath)"
    let start = try #require(here.indices.last { here[$0...].hasPrefix(tests) })
    let content = try #require(FileSystem.content("\(here[..<start])Sources/SallyportDesktop/\(path)"))
    return String(decoding: content, as: UTF8.self).split(separator: "\n")
      .map { String($0.drop { $0 == " " }) }
      .filter { !$0.hasPrefix("//") }
  }

  @Test("the source sets SO_EXCLUSIVEADDRUSE before it binds the port on Windows")
  func exclusive() throws {
    let code = try Self.code("Loopback/ListenerSocket.swift")
    // SO_EXCLUSIVEADDRUSE is ~SO_REUSEADDR, and the call can throw.
    let option = try #require(code.firstIndex(of: "try Self.switchOn(~SO_REUSEADDR, level: SOL_SOCKET, of: socket)"))
    #expect(code[option - 1] == "#if os(Windows)")
    #expect(code[option + 1] == "#endif")
    let bind = try #require(code.firstIndex { $0.contains("bind(raw") })
    #expect(option < bind)
  }

  @Test("the source sets no other option that would let another process share the port")
  func noReuse() throws {
    let code = try Self.code("Loopback/ListenerSocket.swift")
    #expect(code.filter { $0.contains("SO_REUSE") }.count == 1)
    #expect(code.filter { $0.contains("switchOn(") && !$0.contains("func") }.count == 2)
  }
}
