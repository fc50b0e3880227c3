import Foundation
import FuzzProperties
import Testing

/// Checks all stored inputs of the fuzzer in every test run.
@Suite("Fuzzed inputs")
struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz").standardized

  private static func files(_ kind: String, of target: FuzzTarget) throws -> [URL] {
    let folder = self.folder.appending(path: kind).appending(path: target.rawValue)
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).sorted { $0.path < $1.path }
  }

  @Test("all properties hold for all stored inputs and findings", arguments: FuzzTarget.allCases)
  func replay(_ target: FuzzTarget) async throws {
    let files = try Self.files("Corpus", of: target) + Self.files("Findings", of: target)
    #expect(files.count > 2, "too few stored inputs")
    for file in files {
      let input = Array(try Data(contentsOf: file))
      do throws(Violation) {
        try await target.check(input)
      } catch {
        Issue.record("\(target.rawValue)/\(file.lastPathComponent): \(error)")
      }
    }
  }

  @Test(
    "the first stored input of each target is valid, so that fuzzing also reaches the code that only valid input reaches",
    arguments: FuzzTarget.allCases)
  func firstIsAccepted(_ target: FuzzTarget) async throws {
    let first = try #require(Self.files("Corpus", of: target).first { $0.lastPathComponent == "seed-01" })
    #expect(try await target.check(Array(Data(contentsOf: first))))
  }

  @Test("all properties hold for empty, binary, and repetitive input", arguments: FuzzTarget.allCases)
  func emptyAndBinary(_ target: FuzzTarget) async throws {
    for input in [[], [0], [0xFF, 0xFE], [0x0A], Array("\n\n".utf8), [UInt8](repeating: UInt8(ascii: "{"), count: 4096)] {
      try await target.check(input)
    }
  }

  @Test("each folder of inputs belongs to a target")
  func foldersAreTargets() throws {
    for kind in ["Corpus", "Findings"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: kind).path)
      #expect(Set(names).isSubset(of: FuzzTarget.allCases.map(\.rawValue)))
    }
  }
}
