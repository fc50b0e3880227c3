import Crypto

/// A private key that signs DPoP proofs with `ES256` (RFC 9449 §4).
///
/// The key can be in hardware, for example in a Secure Enclave. In that case, ``storedForm`` is a reference to the key
/// instead of the key itself.
public protocol DPoPKey: Sendable {
  var publicKey: DPoPPublicKey { get }
  /// The data from which the key can be restored after a restart. It is kept in the token store, together with the
  /// tokens that are bound to the key.
  var storedForm: Secret<[UInt8]> { get }
  /// Returns an ES256 signature: the 64 bytes of R and S (RFC 7518 §3.4).
  func signature(of bytes: [UInt8]) throws(DPoPKeyError) -> [UInt8]
}

/// Creates and restores a client's DPoP keys.
public protocol DPoPKeySource: Sendable {
  /// Returns a new key.
  func makeKey() throws(DPoPKeyError) -> any DPoPKey
  /// Restores a key from its ``DPoPKey/storedForm``.
  func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey
}

/// Why a DPoP key or signature is not available. Contains no part of the key.
public enum DPoPKeyError: Error, Equatable, Sendable {
  /// The stored form doesn't belong to a key from this source.
  case damaged
  /// The key cannot be used, for example because the hardware or service that holds it does not respond.
  case unavailable(reason: String)
}

/// DPoP keys in memory, whose stored form is the key itself.
public struct SoftwareDPoPKeys: DPoPKeySource {
  /// Creates a source of keys in memory.
  public init() {}

  public func makeKey() throws(DPoPKeyError) -> any DPoPKey {
    try SoftwareKey(P256.Signing.PrivateKey())
  }

  public func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey {
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: storedForm.reveal()) else { throw .damaged }
    return try SoftwareKey(key)
  }

  private struct SoftwareKey: DPoPKey {
    private let key: P256.Signing.PrivateKey
    let publicKey: DPoPPublicKey

    init(_ key: P256.Signing.PrivateKey) throws(DPoPKeyError) {
      self.key = key
      guard let publicKey = try? DPoPPublicKey(es256: Array(key.publicKey.rawRepresentation)) else { throw .damaged }
      self.publicKey = publicKey
    }

    var storedForm: Secret<[UInt8]> { Secret(Array(self.key.rawRepresentation)) }

    func signature(of bytes: [UInt8]) throws(DPoPKeyError) -> [UInt8] {
      do {
        return Array(try self.key.signature(for: bytes).rawRepresentation)
      } catch {
        throw .unavailable(reason: "the signature failed")
      }
    }
  }
}
