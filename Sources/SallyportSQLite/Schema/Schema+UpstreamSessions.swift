extension Schema {
  /// Adds the `iss`, `sub`, and `sid` of the upstream's ID token to each browser session that began through an
  /// upstream. When the user signs out at the upstream, the server uses these columns to find the sessions to end.
  static let upstreamSessions = """
    ALTER TABLE browser_session ADD COLUMN upstream_issuer TEXT;
    ALTER TABLE browser_session ADD COLUMN upstream_subject TEXT;
    ALTER TABLE browser_session ADD COLUMN upstream_sid TEXT;
    CREATE INDEX browser_session_upstream_subject ON browser_session (upstream_subject, upstream_issuer)
      WHERE upstream_subject IS NOT NULL;
    CREATE INDEX browser_session_upstream_sid ON browser_session (upstream_sid, upstream_issuer) WHERE upstream_sid IS NOT NULL;
    """
}
