// swift-format-ignore-file
// Our own declaration of CryptoKit's Secure Enclave, with keys in memory.
@_exported public import Crypto
public import Foundation
public import Security

public enum SecureEnclave {
  public static var isAvailable: Bool { true }

  public enum P256 {
    public enum Signing {
      public struct PrivateKey: Sendable {
        private let key: Crypto.P256.Signing.PrivateKey

        public init(accessControl: SecAccessControl) throws {
          guard accessControl.flags == .privateKeyUsage else { throw CryptoKitError.incorrectParameterSize }
          self.key = Crypto.P256.Signing.PrivateKey()
        }
        public init(dataRepresentation: Data) throws {
          self.key = try Crypto.P256.Signing.PrivateKey(rawRepresentation: dataRepresentation.dropFirst())
        }
        // The first byte distinguishes this form, which stands for the enclave's reference, from the private key
        // itself.
        public var dataRepresentation: Data { [0xE5] + self.key.rawRepresentation }
        public var publicKey: Crypto.P256.Signing.PublicKey { self.key.publicKey }
        public func signature(for data: some DataProtocol) throws -> Crypto.P256.Signing.ECDSASignature {
          try self.key.signature(for: data)
        }
      }
    }
  }
}
