#if canImport(Security)
  import CryptoKit
  import Foundation
  public import SallyportProtocol
  import Security

  /// DPoP keys in the Secure Enclave (RFC 9449 §11.4).
  ///
  /// The private key never leaves the device. The token store holds only the Secure Enclave's encrypted reference to
  /// it.
  ///
  /// If the device has no Secure Enclave (see ``isAvailable``), creating a key fails. Use ``SoftwareDPoPKeys`` instead.
  public struct SecureEnclaveKeys: DPoPKeySource {
    public init() {}

    /// Whether this device has a Secure Enclave.
    public static var isAvailable: Bool { SecureEnclave.isAvailable }

    public func makeKey() throws(DPoPKeyError) -> any DPoPKey {
      // Use the protection class of the stored tokens, so that a background refresh can use the key.
      let access = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
      guard let access else { throw .unavailable(reason: "the Secure Enclave rejected the access control settings") }
      do {
        return try EnclaveKey(SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
      } catch {
        throw .unavailable(reason: "the Secure Enclave could not create a key")
      }
    }

    public func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey {
      do {
        return try EnclaveKey(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(storedForm.reveal())))
      } catch {
        // The data is damaged, or the key belongs to another device or was created before this device was erased.
        throw .damaged
      }
    }

    private struct EnclaveKey: DPoPKey {
      private let key: SecureEnclave.P256.Signing.PrivateKey
      let publicKey: DPoPPublicKey

      init(_ key: SecureEnclave.P256.Signing.PrivateKey) throws {
        self.key = key
        self.publicKey = try DPoPPublicKey(es256: Array(key.publicKey.rawRepresentation))
      }

      var storedForm: Secret<[UInt8]> { Secret(Array(self.key.dataRepresentation)) }

      func signature(of bytes: [UInt8]) throws(DPoPKeyError) -> [UInt8] {
        do {
          return Array(try self.key.signature(for: bytes).rawRepresentation)
        } catch {
          throw .unavailable(reason: "the Secure Enclave could not sign; the device may be locked")
        }
      }
    }
  }
#endif
