import Crypto
import SallyportProtocol

/// Copies all data from one store to another, and verifies the copy.
///
/// Rows are copied in the order of their primary keys. An interrupted copy can be continued: the rows that the target
/// already contains are verified, and only the rows after them are copied. No server may use either store meanwhile.
package struct StoreCopy: Sendable {
  private static var batchSize: Int { 500 }

  let source: any CopyableStore
  let target: any CopyableStore

  package init(from source: any CopyableStore, to target: any CopyableStore) {
    self.source = source
    self.target = target
  }

  /// Copies what the target does not contain yet, and compares the number and the digest of all rows.
  /// - Parameter report: Called with the number of rows of each table after the copy of the table is verified.
  package func run(report: (_ table: String, _ rows: Int) -> Void) async throws(StoreCopyError) {
    for table in StoredTable.all {
      let isCopy: Bool
      do { isCopy = try await self.continueCopy(of: table) } catch { throw .store(error) }
      guard isCopy else { throw .targetHasOtherData }
    }
    // A server that already used the target must not continue with the configuration in its cache.
    do { try await self.target.raiseConfigurationVersion() } catch { throw .store(error) }
    try await self.verify(report: report)
  }

  /// Copies the rows of a table that the target does not contain yet.
  /// - Returns: False if the rows that the target contains are not a copy of rows of the source. In this case,
  ///   nothing is copied.
  private func continueCopy(of table: StoredTable) async throws(StoreError) -> Bool {
    let last = try await self.target.lastStoredKey(of: table)
    if let last {
      let original = try await Self.digest(of: table, in: self.source, through: last)
      guard try await Self.digest(of: table, in: self.target) == original else { return false }
    }
    try await self.copy(table, after: last)
    return true
  }

  private func copy(_ table: StoredTable, after start: [StoredValue]?) async throws(StoreError) {
    var key = start
    while true {
      let rows = try await self.source.storedRows(of: table, after: key, limit: Self.batchSize)
      guard let last = rows.last else { return }
      try await self.target.insertStoredRows(rows, into: table)
      key = Array(last.prefix(table.keyCount))
    }
  }

  private func verify(report: (_ table: String, _ rows: Int) -> Void) async throws(StoreCopyError) {
    for table in StoredTable.all {
      let (original, copy): (Digest, Digest)
      do throws(StoreError) {
        original = try await Self.digest(of: table, in: self.source)
        copy = try await Self.digest(of: table, in: self.target)
      } catch { throw .store(error) }
      guard original == copy else { throw .sourceChanged(table: table.name) }
      report(table.name, copy.rows)
    }
  }

  private struct Digest: Equatable {
    var rows = 0
    var bytes: [UInt8] = []
  }

  /// - Parameter end: The primary key of the last row to include; nil for all rows.
  private static func digest(
    of table: StoredTable, in store: any CopyableStore, through end: [StoredValue]? = nil
  ) async throws(StoreError) -> Digest {
    var (rows, hash, key) = (0, SHA256(), [StoredValue]?.none)
    while true {
      let batch = try await store.storedRows(of: table, after: key, limit: self.batchSize)
      for row in batch {
        for value in row { hash.update(data: value.canonicalBytes) }
        rows += 1
        if let end, row.prefix(table.keyCount).elementsEqual(end) { return Digest(rows: rows, bytes: Array(hash.finalize())) }
      }
      guard let last = batch.last else { return Digest(rows: rows, bytes: Array(hash.finalize())) }
      key = Array(last.prefix(table.keyCount))
    }
  }
}

/// Why a copy failed.
package enum StoreCopyError: Error, Equatable, Sendable {
  /// The target contains rows that are not a copy of the source.
  case targetHasOtherData
  /// The table differs between the stores after the copy, for example because a server still uses one of them.
  case sourceChanged(table: String)
  case store(StoreError)
}
