import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("The master key and the keys derived from it")
struct MasterKeyTests {
  @Test("a master key has 32 bytes", arguments: [0, 16, 31, 33, 64])
  func size(count: Int) {
    #expect(MasterKey(Secret([UInt8](repeating: 1, count: count))) == nil)
    #expect(MasterKey.randomMaterial().reveal().count == 32)
  }

  @Test("each purpose has its own key")
  func purposes() throws {
    let key = try TestKeys.masterKey()
    #expect(key.key(for: "a") == key.key(for: "a"))
    #expect(key.key(for: "a") != key.key(for: "b"))
  }

  @Test("a private key is stored encrypted, and opens only with its master key, kid, and algorithm")
  func sealedKeys() throws {
    let now = Timestamp(seconds: 1)
    let (sealer, key) = (KeySealer(try TestKeys.masterKey()), try TestKeys.key(.es256))
    let record = try sealer.record(of: key, createdAt: now, activeAt: now)
    #expect(try sealer.open(record).id == key.id)
    #expect(!record.sealedPrivateKey.contains(key.der.reveal()))
    var renamed = record
    renamed.id = "other"
    #expect(throws: KeyRingError.cannotOpen(keyID: "other")) { try sealer.open(renamed) }
    var other = record
    other.algorithm = "RS256"
    #expect(throws: KeyRingError.cannotOpen(keyID: key.id)) { try sealer.open(other) }
    let otherSealer = KeySealer(try #require(MasterKey(MasterKey.randomMaterial())))
    #expect(throws: KeyRingError.cannotOpen(keyID: key.id)) { try otherSealer.open(record) }
  }
}
