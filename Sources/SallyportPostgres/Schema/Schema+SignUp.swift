extension Schema {
  /// One-time links for sign-up.
  static let signUp = """
    CREATE TABLE sign_up (
      fingerprint BYTEA PRIMARY KEY CHECK (length(fingerprint) = 32),
      kind \(text) NOT NULL CHECK (kind <> ''),
      email \(text) NOT NULL CHECK (email <> ''),
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      consumed_at BIGINT
    );
    CREATE INDEX sign_up_expiry ON sign_up (expires_at);
    """
}
