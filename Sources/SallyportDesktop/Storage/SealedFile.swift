import Crypto
import Sallyport

/// The format of a stored file: a format marker, followed by the nonce, the ciphertext, and the tag of AES-GCM.
///
/// The marker and the `TokenStoreKey` are authenticated together with the content, so that swapped files are detected.
enum SealedFile {
  private static let mark = Array("SPF1".utf8)

  static func seal(_ value: [UInt8], for key: TokenStoreKey, with secret: SymmetricKey) throws(TokenStoreError) -> [UInt8] {
    guard let box = try? AES.GCM.seal(value, using: secret, authenticating: self.mark + key.encoded),
      let combined = box.combined
    else { throw .failed(reason: "the value could not be encrypted") }
    return self.mark + combined
  }

  static func open(_ file: [UInt8], for key: TokenStoreKey, with secret: SymmetricKey) throws(TokenStoreError) -> [UInt8] {
    guard file.starts(with: self.mark),
      let box = try? AES.GCM.SealedBox(combined: file.dropFirst(self.mark.count)),
      let value = try? AES.GCM.open(box, using: secret, authenticating: self.mark + key.encoded)
    else { throw .damaged(reason: "a stored file was modified or was encrypted with another key") }
    return Array(value)
  }
}
