#if os(Linux)
  import Foundation
  import SallyportProtocol
  import Testing

  @testable import SallyportArgon2

  @Suite("Memory for hashes")
  struct HashingMemoryTests {
    /// The heap of a thread keeps a block of this size that was freed. The threads stay, as those of a server do.
    @Test("the memory of 16 threads is returned to the system")
    func memoryIsGivenBack() throws {
      let (hashed, ended, threads) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), 16)
      let before = try Self.residentMiB()
      for _ in 0..<threads {
        Thread.detachNewThread {
          for _ in 0..<2 {
            _ = try? Argon2Hash(
              of: Array("password".utf8), .recommended, salt: Array(repeating: 7, count: 16), tagLength: 32)
          }
          hashed.signal()
          ended.wait()
        }
      }
      for _ in 0..<threads { hashed.wait() }
      // Other tests hash at the same time, one of them with 64 MiB.
      let kept = try Self.residentMiB() - before
      for _ in 0..<threads { ended.signal() }
      #expect(kept < 120, "\(kept) MiB are kept")
    }

    private static func residentMiB() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
      return try #require(Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1])) / 1_024
    }
  }
#endif
