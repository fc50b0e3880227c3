package import Crypto
public import SallyportProtocol

/// The server's secret outside the store. Keys for individual purposes are derived from it (HKDF, RFC 5869).
public struct MasterKey: Sendable {
  /// The size in bytes.
  public static let size = 32
  private let material: Secret<[UInt8]>

  /// - Returns: Nil unless `material` has 32 bytes.
  public init?(_ material: Secret<[UInt8]>) {
    guard material.reveal().count == Self.size else { return nil }
    self.material = material
  }

  /// Returns new key material from the system's random number generator.
  public static func randomMaterial() -> Secret<[UInt8]> {
    Secret(RandomText.bytes(count: self.size))
  }

  /// Returns the key for a purpose.
  package func key(for purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: self.material.reveal()), info: Array("sallyport \(purpose)".utf8),
      outputByteCount: 32)
  }
}
