extension Schema {
  /// Adds a column that states whether a session is in the browser of a device that belongs to someone else. During an
  /// upgrade, a server of the previous version does not set the column, so its sessions get the default.
  static let publicDevices = """
    ALTER TABLE browser_session ADD COLUMN is_public BOOLEAN NOT NULL DEFAULT FALSE;
    """
}
