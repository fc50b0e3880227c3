extension Schema {
  /// Lets a server find expired codes without an index whose condition contains `consumed_at`. With such an index, each
  /// redemption would add an entry to every index of the table, and concurrent redemptions would conflict. See
  /// docs/decisions/0174-codes-without-a-partial-index.md.
  ///
  /// The new column contains the time up to which expired codes have been examined. In an existing database, a server
  /// of the previous version has already removed the unused codes that expired more than an hour ago. The fill factor
  /// leaves room for the new version of a row on the same page.
  static let codeExpiry = """
    ALTER TABLE configuration ADD COLUMN codes_examined_until BIGINT NOT NULL DEFAULT 0;
    UPDATE configuration SET codes_examined_until = (extract(epoch FROM now()) * 1000)::bigint - 3600000
      WHERE EXISTS (SELECT 1 FROM authorization_code);
    ALTER TABLE authorization_code SET (fillfactor = 50);
    """

  /// The index of all codes by expiration. Once it exists, the index with a condition is removed.
  static let codeExpiryIndex = OnlineIndex(
    name: "authorization_code_expiry", table: "authorization_code", definition: "(expires_at)")
}
