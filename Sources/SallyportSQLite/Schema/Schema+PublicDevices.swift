extension Schema {
  /// Adds whether the user of a session said that the device belongs to someone else.
  static let publicDevices = """
    ALTER TABLE browser_session ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1));
    """
}
