import Foundation
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportArgon2

/// Low hashing costs, for tests whose results do not depend on the costs.
private let cheap = Argon2Parameters(memory: 64, iterations: 1, parallelism: 1)

@Suite("Argon2id password hashes")
struct Argon2PasswordHasherTests {
  @Test("a hasher cannot have costs whose hashes it would not verify")
  func excessiveCosts() async {
    await #expect(processExitsWith: .failure) {
      _ = Argon2PasswordHasher(parameters: Argon2Parameters(memory: 128 * 1024, iterations: 2, parallelism: 1))
    }
  }

  @Test("a new hash has the costs that OWASP recommends, a random salt of 16 bytes, and a tag of 32 bytes, in PHC format")
  func recommendedCosts() async throws {
    let hasher = Argon2PasswordHasher()
    let hashes = [try await hasher.hash(Secret("correct horse")), try await hasher.hash(Secret("correct horse"))]
    #expect(hashes[0] != hashes[1])
    for hash in hashes {
      let fields = hash.split(separator: "$")
      #expect(fields.count == 5)
      #expect(fields.prefix(3) == ["argon2id", "v=19", "m=19456,t=2,p=1"])
      // The lengths of 16 and 32 bytes in Base64 without padding.
      #expect(fields.map(\.count).suffix(2) == [22, 43])
      #expect(try await hasher.verify(Secret("correct horse"), against: hash))
      #expect(try await !hasher.verify(Secret("correct horsf"), against: hash))
    }
  }

  /// From the test suite of the reference implementation (phc-winner-argon2, `src/test.c`), version 1.3, Argon2id.
  @Test(
    "passwords match the hashes in the tests of the reference implementation", .serialized,
    arguments: [
      ("password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
      ("password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
      ("password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
      ("password", "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg"),
      ("password", "$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$kCXUjmjvc5XMqQedpMTsOv+zyJEf5PhtGiUghW9jFyw"),
      (
        "differentpassword", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"
      ),
      ("password", "$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw"),
    ])
  func knownHashes(password: String, hash: String) async throws {
    let hasher = Argon2PasswordHasher()
    #expect(try await hasher.verify(Secret(password), against: hash))
    #expect(try await !hasher.verify(Secret(password + " "), against: hash))
  }

  @Test("C-24: a hash equals the hash of the reference implementation")
  func makesKnownHash() throws {
    let parameters = Argon2Parameters(memory: 256, iterations: 2, parallelism: 1)
    let hash = try Argon2Hash(of: Array("password".utf8), parameters, salt: Array("somesalt".utf8), tagLength: 32)
    #expect(hash.text == "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
  }

  @Test(
    "a stored hash that is malformed, too costly, or of another function is rejected with an error, and needs a rehash",
    arguments: [
      "", "$", "plain", "$2b$12$abcdefghijklmnopqrstuv",
      "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
      "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=77825,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=4294967295,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=9,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=99$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=+256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$",
      "$argon2id$v=19$m=256,t=2,p=1$!!!!$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/5",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR_uIPnA4rEsF5h7TKyQwu9U1bMCHGi_4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65 EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgL",
      "junk$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$" + String(repeating: "A", count: 300),
    ])
  func rejectsHash(_ hash: String) async throws {
    let hasher = Argon2PasswordHasher()
    let error = await #expect(throws: PasswordHasherError.self) { try await hasher.verify(Secret("password"), against: hash) }
    guard case .failed = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(hasher.needsRehash(hash))
  }

  /// Measures the processor time of this thread, which does not depend on other work on the machine.
  @Test("the check for an unknown account takes about as much processor time as the check for a known one, and fails")
  func equalWork() throws {
    let parameters = Argon2Parameters.recommended
    // The hash against which the password for an unknown account is checked.
    let decoy = try #require(Argon2Hash(parameters.decoy))
    #expect(decoy.parameters == parameters)
    let known = try Argon2Hash(
      of: Array("secret".utf8), parameters, salt: Array("0123456789abcdef".utf8), tagLength: 32)
    var costs: [[Duration]] = [[], []]
    for round in 0..<10 {
      let start = Self.processorTime()
      #expect(try ![known, decoy][round % 2].matches(Array("wrong".utf8)))
      costs[round % 2].append(Self.processorTime() - start)
    }
    let (forKnown, forUnknown) = (try #require(costs[0].min()), try #require(costs[1].min()))
    #expect(forKnown < forUnknown * 2 && forUnknown < forKnown * 2, "\(forKnown) and \(forUnknown)")
  }

  @Test("checks for unknown and known accounts share a queue, and are rejected if the queue is full", arguments: [false, true])
  func sameQueue(isKnown: Bool) async throws {
    let (pool, slow) = (HashingPool(threads: 1, waiting: 0), HashingPoolTests.SlowWork())
    let hasher = Argon2PasswordHasher(parameters: cheap, pool: pool)
    let hash = try await hasher.hash(Secret("password"))
    let storedHash = isKnown ? hash : nil
    // Occupies the only thread. The queue has no places, so every other call is rejected.
    let busy = Task { try await pool.run { () throws(PasswordHasherError) in slow.run() } }
    await slow.waitForStarts(1)
    await #expect(throws: PasswordHasherError.overloaded) {
      try await hasher.verify(Secret("password"), against: storedHash)
    }
    slow.release(1)
    try await busy.value
    #expect(try await hasher.verify(Secret("password"), against: storedHash) == isKnown)
  }

  private static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test("a password has at most 1,024 bytes after normalization", arguments: [("a", 1_024), ("\u{E4}", 512), ("a\u{308}", 512)])
  func longPasswords(letter: String, count: Int) async throws {
    let hasher = Argon2PasswordHasher(parameters: cheap)
    let longest = String(repeating: letter, count: count)
    let hash = try await hasher.hash(Secret(longest))
    #expect(try await hasher.verify(Secret(longest), against: hash))
    #expect(try await !hasher.verify(Secret(String(longest.dropLast())), against: hash))
    await #expect(throws: PasswordHasherError.passwordTooLong) { try await hasher.hash(Secret(longest + "a")) }
    await #expect(throws: PasswordHasherError.passwordTooLong) { try await hasher.verify(Secret(longest + "a"), against: nil) }
    let huge = Secret(String(repeating: letter, count: 100_000))
    await #expect(throws: PasswordHasherError.passwordTooLong) { try await hasher.verify(huge, against: hash) }
  }

  @Test("composed and decomposed forms of a letter are equivalent in a password; other letters, case, and spaces are not")
  func normalization() async throws {
    let hasher = Argon2PasswordHasher(parameters: cheap)
    let hash = try await hasher.hash(Secret("zo\u{EB} \u{1E69}"))
    #expect(try await hasher.verify(Secret("zoe\u{308} s\u{307}\u{323}"), against: hash))
    for other in ["zoe \u{1E69}", "Zo\u{EB} \u{1E69}", " zo\u{EB} \u{1E69}", "zo\u{EB} \u{1E69}\u{0}"] {
      #expect(try await !hasher.verify(Secret(other), against: hash))
    }
  }

  @Test("a NUL character does not end a password")
  func zeroBytes() async throws {
    let hasher = Argon2PasswordHasher(parameters: cheap)
    let hash = try await hasher.hash(Secret("a\u{0}b"))
    #expect(try await !hasher.verify(Secret("a"), against: hash))
    #expect(try await !hasher.verify(Secret("a\u{0}c"), against: hash))
  }

  @Test("a hash with other costs is verified with these costs, and needs a rehash")
  func rehash() async throws {
    let old = try await Argon2PasswordHasher(parameters: cheap).hash(Secret("password"))
    let hasher = Argon2PasswordHasher()
    #expect(try await hasher.verify(Secret("password"), against: old))
    #expect(hasher.needsRehash(old))
    let new = try await hasher.hash(Secret("password"))
    #expect(!hasher.needsRehash(new))
  }
}
