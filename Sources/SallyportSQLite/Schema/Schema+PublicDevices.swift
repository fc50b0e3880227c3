extension Schema {
  /// Adds a column to sessions: whether the user selected "This is not my device" on the sign-in page.
  static let publicDevices = """
    ALTER TABLE browser_session ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1));
    """
}
