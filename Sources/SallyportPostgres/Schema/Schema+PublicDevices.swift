extension Schema {
  /// Sessions in browsers that belong to someone else. A server of the previous version inserts sessions without the column.
  static let publicDevices = """
    ALTER TABLE browser_session ADD COLUMN is_public BOOLEAN NOT NULL DEFAULT FALSE;
    """
}
