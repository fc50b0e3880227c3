extension Schema {
  /// The sessions at upstreams through which browser sessions began. A server of the previous version does not set the
  /// columns, so an upstream cannot end the sessions that such a server starts.
  static let upstreamSessions = """
    ALTER TABLE browser_session ADD COLUMN upstream_issuer \(text), ADD COLUMN upstream_subject \(text),
      ADD COLUMN upstream_sid \(text);
    """
}
