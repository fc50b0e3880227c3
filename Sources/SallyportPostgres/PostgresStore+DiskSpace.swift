package import SallyportServer

extension PostgresStore {
  /// Verifies that the database's disk has space for new rows.
  ///
  /// On a full disk, a commit that changes one row often succeeds, because it needs no new page and no new file of the
  /// write-ahead log. Rows that need new pages, such as those of a new grant, are rejected. Therefore, this method
  /// makes PostgreSQL write a temporary file of about 300 KB, which PostgreSQL removes at once. If `temp_file_limit` is
  /// set, nothing is written, because the limit could reject the file.
  /// - Throws: ``StoreError/unavailable(reason:)`` if the disk is full or the database cannot be reached;
  ///   ``StoreError/unusable(reason:)``
  package func checkDiskSpace() async throws(StoreError) {
    _ = try await self.inspect { (snapshot) throws(StoreError) in
      try snapshot.row(Self.temporaryFileQuery) { (row) throws(StoreError) in try row[0] as Int64 }
    }
  }

  /// A query whose rows do not fit into its memory, so that PostgreSQL writes them to a temporary file. `LATERAL` makes
  /// sure that the memory is limited before the rows are generated.
  static let temporaryFileQuery = """
    SELECT count(*) FROM (SELECT set_config('work_mem', '64kB', true) AS memory OFFSET 0) AS setting, LATERAL
      generate_series(1, CASE WHEN memory = '64kB' AND current_setting('temp_file_limit') = '-1' THEN 20000 END)
    """
}
