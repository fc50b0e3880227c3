extension Schema {
  /// The tables of grants, codes, and refresh tokens.
  ///
  /// A refresh token contains its grant and its number, which are the primary key of its row. Tokens that an older
  /// version issued contain neither, so the index `refresh_token_without_number` finds them by their fingerprint. In
  /// the table, these tokens have the number zero or a negative number.
  ///
  /// The triggers enforce rules that a `CHECK` cannot. For example, a revoked grant gets no new codes or tokens,
  /// consumed credentials stay consumed, and each refresh token after the first follows one that was replaced.
  static let grantTables =
    """
    CREATE TABLE oauth_grant (
      id \(text) PRIMARY KEY CHECK (id <> ''),
      client_id \(text) NOT NULL REFERENCES client (id) ON DELETE CASCADE,
      account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      scope \(text) NOT NULL,
      requested_scope \(text),
      resources \(text) NOT NULL,
      nonce \(text),
      bound_key \(text) CHECK (length(bound_key) = 43),
      session_id \(text) CHECK (session_id <> ''),
      acr \(text),
      amr \(text) NOT NULL,
      claims \(text) CHECK (left(claims, 1) = '{'),
      authenticated_at BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      revoked_at BIGINT,
      revocation_reason \(text),
      CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
    );
    CREATE INDEX oauth_grant_client ON oauth_grant (client_id);
    CREATE INDEX oauth_grant_account ON oauth_grant (account_id, session_id);
    CREATE INDEX oauth_grant_expiry ON oauth_grant (expires_at);
    CREATE INDEX oauth_grant_revoked ON oauth_grant (revoked_at) WHERE revoked_at IS NOT NULL;

    CREATE FUNCTION require_valid_grant() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT revoked_at FROM sallyport.oauth_grant WHERE id = NEW.grant_id) IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '23000', MESSAGE = 'the grant is revoked';
      END IF;
      RETURN NEW;
    END $$;

    CREATE TABLE authorization_code (
      grant_id \(text) PRIMARY KEY REFERENCES oauth_grant (id) ON DELETE CASCADE,
      fingerprint BYTEA NOT NULL CHECK (length(fingerprint) = 32),
      redirect_uri \(text) NOT NULL,
      challenge \(text),
      expires_at BIGINT NOT NULL,
      consumed_at BIGINT,
      failures BIGINT NOT NULL CHECK (failures >= 0)
    );
    CREATE INDEX authorization_code_unused ON authorization_code (expires_at) WHERE consumed_at IS NULL;
    CREATE TRIGGER authorization_code_of_valid_grant BEFORE INSERT ON authorization_code
      FOR EACH ROW EXECUTE FUNCTION require_valid_grant();

    CREATE TABLE refresh_token (
      grant_id \(text) NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
      number BIGINT NOT NULL,
      fingerprint BYTEA NOT NULL CHECK (length(fingerprint) = 32),
      issued_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      consumed_at BIGINT,
      sealed_successor BYTEA,
      PRIMARY KEY (grant_id, number),
      CHECK (consumed_at IS NOT NULL OR sealed_successor IS NULL)
    );
    CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);
    CREATE UNIQUE INDEX refresh_token_without_number ON refresh_token (fingerprint) WHERE number <= 0;
    CREATE TRIGGER refresh_token_of_valid_grant BEFORE INSERT ON refresh_token
      FOR EACH ROW EXECUTE FUNCTION require_valid_grant();

    CREATE FUNCTION require_next_token() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT consumed_at IS NULL OR number <> NEW.number - 1 FROM sallyport.refresh_token WHERE grant_id = NEW.grant_id
        ORDER BY number DESC LIMIT 1) THEN
        RAISE EXCEPTION USING ERRCODE = '23000', MESSAGE = 'the token does not follow one that was replaced';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refresh_token_comes_next BEFORE INSERT ON refresh_token
      FOR EACH ROW EXECUTE FUNCTION require_next_token();

    """
    + [
      Self.rejectUpdate(
        "oauth_grant_stays_revoked", of: "revoked_at", on: "oauth_grant", when: "OLD.revoked_at IS NOT NULL",
        "the grant is already revoked"),
      Self.rejectUpdate(
        "oauth_grant_stays_bound", of: "bound_key", on: "oauth_grant",
        when: "OLD.bound_key IS NOT NULL AND OLD.bound_key IS DISTINCT FROM NEW.bound_key", "the grant is bound to another key"),
      Self.rejectUpdate(
        "authorization_code_stays_consumed", of: "consumed_at", on: "authorization_code", when: "OLD.consumed_at IS NOT NULL",
        "the code is already consumed"),
      Self.rejectUpdate(
        "refresh_token_stays_consumed", of: "consumed_at", on: "refresh_token", when: "OLD.consumed_at IS NOT NULL",
        "the token is already consumed"),
      Self.rejectUpdate(
        "refresh_token_stays_in_place", of: "grant_id, number, fingerprint", on: "refresh_token", when: nil,
        "the identity of a token never changes"),
    ].joined(separator: "\n")
}
