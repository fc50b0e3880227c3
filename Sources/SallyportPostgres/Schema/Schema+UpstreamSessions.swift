extension Schema {
  /// Adds the session at the upstream (another OpenID provider) through which the user signed in to a browser session,
  /// so that the upstream can end the browser session. During an upgrade, a server of the previous version does not set
  /// these columns, so an upstream cannot end the browser sessions that such a server starts.
  static let upstreamSessions = """
    ALTER TABLE browser_session ADD COLUMN upstream_issuer \(text), ADD COLUMN upstream_subject \(text),
      ADD COLUMN upstream_sid \(text);
    """
}
