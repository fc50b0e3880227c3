#if os(Linux)
  import Foundation
  import SallyportProtocol
  import Testing

  @testable import SallyportArgon2

  @Suite("Memory for hashes")
  struct HashingMemoryTests {
    /// By default, the allocator keeps freed blocks in the heap of each thread, which is why `HashingMemory` does not
    /// use the allocator. As in a server, the threads don't exit after hashing.
    @Test("the memory of 16 threads is returned to the system")
    func memoryIsReturned() throws {
      let (hashed, measured, threads) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), 16)
      let before = try ProcessMemory.kibibytes("RssAnon") / 1024
      for _ in 0..<threads {
        Thread.detachNewThread {
          for _ in 0..<2 {
            _ = try? Argon2Hash(
              of: Array("password".utf8), .recommended, salt: Array(repeating: 7, count: 16), tagLength: 32)
          }
          hashed.signal()
          measured.wait()
        }
      }
      for _ in 0..<threads { hashed.wait() }
      let kept = try ProcessMemory.kibibytes("RssAnon") / 1024 - before
      for _ in 0..<threads { measured.signal() }
      // While they hash, 16 threads use 304 MiB, 19 MiB each. The limit of 120 MiB allows for other tests that hash at
      // the same time, one of them with 64 MiB.
      #expect(kept < 120, "\(kept) MiB were not returned")
    }
  }
#endif
