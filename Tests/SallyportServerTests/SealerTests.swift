import Crypto
import SallyportServer
import Testing

@Suite("Sealing")
struct SealerTests {
  private let sealer = Sealer(key: SymmetricKey(size: .bits256))
  private let plaintext = Array("the request".utf8)

  @Test("a sealed value opens with its key and context, and sealing a value twice gives different bytes")
  func roundTrip() throws {
    let (first, second) = (try self.sealer.seal(self.plaintext, context: "a"), try self.sealer.seal(self.plaintext, context: "a"))
    #expect(first != second)
    #expect(try self.sealer.open(first, context: "a") == self.plaintext)
    #expect(try self.sealer.open(try self.sealer.seal([], context: ""), context: "") == [])
  }

  @Test("a sealed value does not open with a different context or key, a flipped bit, or a missing or added byte")
  func rejected() throws {
    let sealed = try self.sealer.seal(self.plaintext, context: "a")
    for context in ["", "b", "a ", "A"] {
      #expect(throws: SealError.failed) { try self.sealer.open(sealed, context: context) }
    }
    #expect(throws: SealError.failed) { try Sealer(key: SymmetricKey(size: .bits256)).open(sealed, context: "a") }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x80
      #expect(throws: SealError.failed) { try self.sealer.open(changed, context: "a") }
      #expect(throws: SealError.failed) { try self.sealer.open(sealed[..<index], context: "a") }
    }
    #expect(throws: SealError.failed) { try self.sealer.open(sealed + [0], context: "a") }
  }
}
