import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@testable import SallyportServer

/// A shard is one of 4,096 parts into which accounts are divided, so that a later version can use several databases.
@Suite("Shards")
struct ShardTests {
  @Test("a grant and its codes have the shard of the grant's account", arguments: [GrantOrder.creation, .shard])
  func grants(in order: GrantOrder) throws {
    for _ in 0..<1_000 {
      let account = AccountID.random()
      let grant = GrantID.random(for: account, at: .now(), in: order)
      #expect(Shard(of: grant) == Shard(of: account))
      let code = try #require(AuthorizationCode(AuthorizationCode.random(of: grant).text.reveal()))
      #expect(Shard(of: code.grant) == Shard(of: account))
    }
  }

  @Test("the shard of an account must never change, because the identifiers of its grants contain it")
  func stable() {
    #expect(Shard(of: AccountID(rawValue: "acct-ada")).number == 2_303)
  }

  @Test("accounts are evenly distributed")
  func distribution() {
    var counts: [Shard: Int] = [:]
    for number in 0..<100_000 { counts[Shard(of: AccountID(rawValue: "acct-\(number)")), default: 0] += 1 }
    #expect(counts.count == Shard.count)
    #expect(counts.keys.allSatisfy { (0..<Shard.count).contains($0.number) })
    // The mean is 100,000 / 4,096, which is about 24.
    #expect(counts.values.allSatisfy { (5...50).contains($0) })
  }

  @Test(
    "a grant identifier without a valid shard number has no shard", arguments: ["", "grant", "0190-", "0190-+12", "0190-xyz"])
  func none(_ identifier: String) {
    #expect(Shard(of: GrantID(rawValue: identifier)) == nil)
  }
}
