import SallyportProtocol
import SallyportServer
import ServerTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Rotates refresh tokens in the database whose path or URL is the argument, until the process is killed. A family is
/// the sequence of refresh tokens of one grant; all families are rotated concurrently. After each acknowledged
/// rotation, the process prints a line with the family and the number of the new token. The database must already
/// contain the grants and their tokens with the number 0.
@main
struct StoreCrashProbe {
  static let families = 8

  static func main() async throws {
    let store = try TestDatabase.open(CommandLine.arguments[1])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for family in 0..<Self.families {
        group.addTask { try await Self.rotate(family, in: store) }
      }
      try await group.waitForAll()
    }
  }

  /// Rotates the tokens of a family, beginning with the newest one in the store.
  private static func rotate(_ family: Int, in store: any Store) async throws {
    var number = try await store.read { (snapshot) throws(StoreError) in
      var number = 0
      while try snapshot.refreshToken(Self.fingerprint(family, number + 1), Self.id(family, number + 1)) != nil { number += 1 }
      return number
    }
    while true {
      let (old, fingerprint) = (Self.id(family, number), Self.fingerprint(family, number + 1))
      let isRotated = try await store.write { (tx) throws(StoreError) in
        guard try tx.consumeRefreshToken(old, sealedSuccessor: [1], at: .now()) else { return false }
        try tx.insert(
          RefreshTokenRecord(
            id: old.successor, fingerprint: fingerprint, issuedAt: .now(), expiresAt: .now() + .seconds(3_600)))
        return true
      }
      guard isRotated else { fatalError("family \(family): the valid token \(number) was not rotated") }
      number += 1
      let line = Array("\(family) \(number)\n".utf8)
      guard write(1, line, line.count) == line.count else { exit(1) }
    }
  }

  private static func id(_ family: Int, _ number: Int) -> RefreshTokenID {
    RefreshTokenID(grant: GrantID(rawValue: "family-\(family)"), number: Int64(number))
  }

  /// Returns a different fingerprint for each token: the five low bytes of a number made from the family and the number
  /// of the token, repeated.
  private static func fingerprint(_ family: Int, _ number: Int) -> Fingerprint {
    Fingerprint(bytes: (0..<32).map { UInt8(truncatingIfNeeded: (family << 32 | number) >> (8 * ($0 % 5))) })
  }
}
