import Crypto
import Sallyport

/// What stands in a stored file: a mark of the format, then nonce, ciphertext and tag of AES-GCM.
///
/// Mark and store key are authenticated with the content, so one value's file is no other value's.
enum SealedFile {
  private static let mark = Array("SPF1".utf8)

  static func seal(_ value: [UInt8], for key: TokenStoreKey, with secret: SymmetricKey) throws(TokenStoreError) -> [UInt8] {
    guard let box = try? AES.GCM.seal(value, using: secret, authenticating: self.mark + key.encoded),
      let combined = box.combined
    else { throw .failed(reason: "cannot encrypt") }
    return self.mark + combined
  }

  static func open(_ file: [UInt8], for key: TokenStoreKey, with secret: SymmetricKey) throws(TokenStoreError) -> [UInt8] {
    guard file.starts(with: self.mark),
      let box = try? AES.GCM.SealedBox(combined: file.dropFirst(self.mark.count)),
      let value = try? AES.GCM.open(box, using: secret, authenticating: self.mark + key.encoded)
    else { throw .damaged(reason: "a stored file was altered or belongs to another key") }
    return Array(value)
  }
}
