import Crypto

/// A private key that signs DPoP proofs with `ES256`, RFC 9449 §4.
///
/// A platform can back it by hardware, for example a Secure Enclave, whose keys are P-256 ones: then ``storedForm`` is the
/// enclave's own reference to the key and not the key itself.
public protocol DPoPKey: Sendable {
  var publicKey: DPoPPublicKey { get }
  /// What brings the key back after a restart; rests sealed in the store, with the grant that it is for.
  var storedForm: Secret<[UInt8]> { get }
  /// The two numbers of an ES256 signature one after the other, 64 bytes (RFC 7518 §3.4).
  func signature(of bytes: [UInt8]) throws(DPoPKeyError) -> [UInt8]
}

/// Where a client's DPoP keys come from.
public protocol DPoPKeySource: Sendable {
  /// A new key.
  func makeKey() throws(DPoPKeyError) -> any DPoPKey
  /// The key that ``DPoPKey/storedForm`` was of.
  func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey
}

/// Why there is no DPoP key or no signature. Never holds a part of the key.
public enum DPoPKeyError: Error, Equatable, Sendable {
  /// The stored form is not that of a key of this source.
  case damaged
  /// What holds the key does not answer.
  case unavailable(reason: String)
}

/// Keys in the program's own memory, kept as the bytes that they are.
public struct SoftwareDPoPKeys: DPoPKeySource {
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
