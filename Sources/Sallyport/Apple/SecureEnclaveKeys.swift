#if canImport(Security)
  import CryptoKit
  import Foundation
  public import SallyportProtocol
  import Security

  /// DPoP keys in the Secure Enclave (RFC 9449 §11.4): the private key never leaves the device, and what rests in the store is the
  /// enclave's own reference to it.
  ///
  /// Where there is no Secure Enclave (``isAvailable``), a key cannot be made; take ``SoftwareDPoPKeys`` there.
  public struct SecureEnclaveKeys: DPoPKeySource {
    public init() {}

    /// Whether this device has one.
    public static var isAvailable: Bool { SecureEnclave.isAvailable }

    public func makeKey() throws(DPoPKeyError) -> any DPoPKey {
      // As the grant's own protection class: a refresh in the background finds the key, too.
      let access = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
      guard let access else { throw .unavailable(reason: "the Secure Enclave takes no such protection") }
      do {
        return try EnclaveKey(SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
      } catch {
        throw .unavailable(reason: "the Secure Enclave made no key")
      }
    }

    public func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey {
      do {
        return try EnclaveKey(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(storedForm.reveal())))
      } catch {
        // Another device's, or one from before the device was erased.
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
          throw .unavailable(reason: "the Secure Enclave did not sign; the device may be locked")
        }
      }
    }
  }
#endif
