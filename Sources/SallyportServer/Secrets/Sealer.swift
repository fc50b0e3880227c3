package import Crypto

/// Encrypts and authenticates small values with one key (AES-256-GCM).
package struct Sealer: Sendable {
  private let key: SymmetricKey

  package init(key: SymmetricKey) {
    self.key = key
  }

  /// Encrypts `plaintext`. Opening it requires the same `context`.
  package func seal(_ plaintext: some Sequence<UInt8>, context: String) throws(SealError) -> [UInt8] {
    guard let box = try? AES.GCM.seal(Array(plaintext), using: self.key, authenticating: Array(context.utf8)),
      let combined = box.combined
    else { throw .failed }
    return Array(combined)
  }

  /// Decrypts a sealed value.
  /// - Throws: ``SealError/failed`` if the value was not sealed with this key and context.
  package func open(_ sealed: some Sequence<UInt8>, context: String) throws(SealError) -> [UInt8] {
    guard let box = try? AES.GCM.SealedBox(combined: Array(sealed)),
      let plaintext = try? AES.GCM.open(box, using: self.key, authenticating: Array(context.utf8))
    else { throw .failed }
    return Array(plaintext)
  }
}

extension MasterKey {
  /// Returns a sealer with the key for a purpose.
  func sealer(for purpose: String) -> Sealer {
    Sealer(key: self.key(for: purpose))
  }
}

package enum SealError: Error, Equatable, Sendable { case failed }
