import Crypto
import Sallyport

/// Stores values of up to 160 KiB in a vault, such as the Windows Credential Manager, whose entries are limited to
/// 2,560 bytes (`CRED_MAX_CREDENTIAL_BLOB_SIZE`).
///
/// A small value is one entry. A larger value is split into pieces in one of two slots, and a main entry names the
/// slot. A save fills the unused slot and then writes the main entry, which switches from the old value to the new one.
/// Pieces that a crash leaves behind are harmless, because no main entry names them.
struct SplitCredentials<Vault: CredentialVault>: Sendable {
  let vault: Vault

  /// The maximum size of an entry in bytes.
  static var entryLimit: Int { 2560 }
  /// The maximum number of pieces. A value that needs more pieces is not saved.
  static var pieceLimit: Int { 64 }

  /// The main entry: the byte 0 and the value; or the byte 1, the slot, the number of pieces, and the SHA-256 digest of
  /// the value.
  private enum Entry {
    case whole([UInt8])
    case pieces(slot: UInt8, count: Int, digest: [UInt8])
  }

  func load(_ name: String) throws(TokenStoreError) -> [UInt8]? {
    // Another process may replace the value while its pieces are read. Then the main entry has changed, so read again.
    for _ in 0..<3 {
      guard let entry = try self.entry(name) else { return nil }
      switch entry {
      case .whole(let value): return value
      case .pieces(let slot, let count, let digest):
        var value: [UInt8] = []
        for index in 0..<count { value += try self.vault.read(Self.pieceName(name, slot, index)) ?? [] }
        if SHA256.hash(data: value).elementsEqual(digest) { return value }
      }
    }
    throw .damaged(reason: "the pieces of a stored value do not match its checksum")
  }

  func save(_ value: [UInt8], _ name: String) throws(TokenStoreError) {
    let oldEntry = try? self.entry(name)
    // One byte of the entry is the 0 before the value.
    if value.count < Self.entryLimit {
      try self.vault.write([0] + value, name)
    } else {
      var slot: UInt8 = 0
      if case .pieces(let usedSlot, _, _) = oldEntry { slot = 1 - usedSlot }
      let pieces = stride(from: 0, to: value.count, by: Self.entryLimit).map { start in
        Array(value[start..<min(start + Self.entryLimit, value.count)])
      }
      guard pieces.count <= Self.pieceLimit else { throw .failed(reason: "the value is too large for the Credential Manager") }
      for (index, piece) in pieces.enumerated() { try self.vault.write(piece, Self.pieceName(name, slot, index)) }
      try self.vault.write([1, slot, UInt8(pieces.count)] + SHA256.hash(data: value), name)
    }
    // The new value is complete. Leftover pieces of the old value are harmless.
    if case .pieces(let slot, let count, _) = oldEntry { try? self.removePieces(name, slot, count) }
  }

  func remove(_ name: String) throws(TokenStoreError) {
    let oldEntry = try? self.entry(name)
    try self.vault.remove(name)
    if case .pieces(let slot, let count, _) = oldEntry { try self.removePieces(name, slot, count) }
  }

  private func entry(_ name: String) throws(TokenStoreError) -> Entry? {
    guard let entry = try self.vault.read(name) else { return nil }
    switch entry.first {
    case 0: return .whole(Array(entry.dropFirst()))
    case 1 where entry.count == 3 + SHA256.byteCount && entry[1] <= 1 && Int(entry[2]) <= Self.pieceLimit:
      return .pieces(slot: entry[1], count: Int(entry[2]), digest: Array(entry.dropFirst(3)))
    default: throw .damaged(reason: "the stored credential was not written by Sallyport")
    }
  }

  private func removePieces(_ name: String, _ slot: UInt8, _ count: Int) throws(TokenStoreError) {
    for index in 0..<count { try self.vault.remove(Self.pieceName(name, slot, index)) }
  }

  private static func pieceName(_ name: String, _ slot: UInt8, _ index: Int) -> String {
    "\(name).\(slot).\(index)"
  }
}
