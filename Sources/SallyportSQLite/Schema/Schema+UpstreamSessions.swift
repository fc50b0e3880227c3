extension Schema {
  /// The sessions at upstreams through which browser sessions began.
  static let upstreamSessions = """
    ALTER TABLE browser_session ADD COLUMN upstream_issuer TEXT;
    ALTER TABLE browser_session ADD COLUMN upstream_subject TEXT;
    ALTER TABLE browser_session ADD COLUMN upstream_sid TEXT;
    CREATE INDEX browser_session_upstream_subject ON browser_session (upstream_subject, upstream_issuer)
      WHERE upstream_subject IS NOT NULL;
    CREATE INDEX browser_session_upstream_sid ON browser_session (upstream_sid, upstream_issuer) WHERE upstream_sid IS NOT NULL;
    """
}
