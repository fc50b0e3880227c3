extension Schema {
  /// Whether a session is in the browser of a device that belongs to someone else. A server of the previous version
  /// does not set the column. Its sessions get the default.
  static let publicDevices = """
    ALTER TABLE browser_session ADD COLUMN is_public BOOLEAN NOT NULL DEFAULT FALSE;
    """
}
