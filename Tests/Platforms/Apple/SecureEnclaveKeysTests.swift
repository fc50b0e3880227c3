import Security
import Testing

@testable import Sallyport

/// Runs on Linux, with the simulated Secure Enclave in `Tests/Platforms/Stubs`.
struct SecureEnclaveKeysTests {
  @Test("C-22: a DPoP key of the Secure Enclave signs, and is restored from the enclave's reference")
  func keys() throws {
    let source = SecureEnclaveKeys()
    let key = try source.makeKey()
    // The simulated enclave's reference has 33 bytes.
    #expect(key.storedForm.reveal().count == 33)
    let restored = try source.restoreKey(key.storedForm)
    #expect(restored.publicKey == key.publicKey)
    #expect(try restored.signature(of: [1, 2, 3]).count == 64)
    #expect(throws: DPoPKeyError.damaged) { try source.restoreKey(Secret([1, 2, 3])) }
  }
}
