import Foundation

/// The documentation page about a provider.
struct ProviderPage: Sendable {
  private let text: String

  /// - Parameter name: The name of the page's file, without its extension.
  init(_ name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    self.text = try String(
      contentsOf: root.appending(path: "Sources/Sallyport/Sallyport.docc/\(name).md"), encoding: .utf8)
  }

  /// The page's text after the heading "Sign in with the command".
  private var section: Substring {
    get throws {
      guard let start = self.text.range(of: "## Sign in with the command\n") else { throw UnexpectedResult("no such section") }
      return self.text[start.upperBound...]
    }
  }

  /// All shell commands in the section.
  var script: String {
    get throws {
      let section = try self.section
      let blocks = section.matches(of: /(?s)```sh\n(.*?)\n```/).map { String($0.1) }
      guard !blocks.isEmpty else { throw UnexpectedResult("no command lines:\n\(section)") }
      return blocks.joined(separator: "\n")
    }
  }

  /// The URL and the method of the request that the command lines send with `sallyport request`.
  var api: (url: String, method: String) {
    get throws {
      guard let line = try self.script.firstMatch(of: /\nsallyport request (?:-X ([A-Z]+) )?(https:\S+)/) else {
        throw UnexpectedResult("no request")
      }
      return (String(line.2), line.1.map(String.init) ?? "GET")
    }
  }

  /// The first `sallyport` command that the section's text mentions.
  var mentionedCommand: String {
    get throws {
      guard let command = try self.section.firstMatch(of: /`(sallyport [^`]*)`/)?.1 else { throw UnexpectedResult("no command") }
      return String(command)
    }
  }
}
