-- The schema that the first release's migrations created, with a few rows: an operator's database before an upgrade. Like the migrations,
-- this file must not change.
CREATE TABLE account (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  username TEXT NOT NULL UNIQUE CHECK (username <> ''),
  password_hash TEXT NOT NULL,
  password_changed_at INTEGER NOT NULL,
  name TEXT,
  email TEXT,
  created_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE client (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('public', 'confidential')),
  application_type TEXT NOT NULL CHECK (application_type IN ('native', 'web')),
  origin TEXT NOT NULL CHECK (origin IN ('operator', 'dynamic')),
  scope TEXT NOT NULL,
  signing_algorithm TEXT NOT NULL CHECK (signing_algorithm IN ('ES256', 'RS256')),
  secret_fingerprint BLOB CHECK (length(secret_fingerprint) = 32),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE client_redirect_uri (
  client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  uri TEXT NOT NULL CHECK (uri <> ''),
  PRIMARY KEY (client_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE signing_key (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  algorithm TEXT NOT NULL CHECK (algorithm IN ('ES256', 'RS256')),
  sealed_private_key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  active_at INTEGER NOT NULL,
  retired_at INTEGER,
  removed_at INTEGER,
  CHECK (removed_at IS NULL OR removed_at >= retired_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE configuration (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL
) STRICT;
INSERT INTO configuration (id, version) VALUES (1, 1);

CREATE TRIGGER client_insert_raises_version AFTER INSERT ON client
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER client_update_raises_version AFTER UPDATE ON client
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER client_delete_raises_version AFTER DELETE ON client
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER client_redirect_uri_insert_raises_version AFTER INSERT ON client_redirect_uri
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER client_redirect_uri_update_raises_version AFTER UPDATE ON client_redirect_uri
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER client_redirect_uri_delete_raises_version AFTER DELETE ON client_redirect_uri
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER signing_key_insert_raises_version AFTER INSERT ON signing_key
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER signing_key_update_raises_version AFTER UPDATE ON signing_key
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TRIGGER signing_key_delete_raises_version AFTER DELETE ON signing_key
BEGIN UPDATE configuration SET version = version + 1; END;
CREATE TABLE browser_session (
  fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  authenticated_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX browser_session_account ON browser_session (account_id);
CREATE INDEX browser_session_expiry ON browser_session (expires_at);
CREATE INDEX browser_session_ended ON browser_session (ended_at) WHERE ended_at IS NOT NULL;

-- Interactions that were decided; the request itself is sealed in its URL.
CREATE TABLE burned_interaction (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX burned_interaction_expiry ON burned_interaction (expires_at);

CREATE TABLE consent (
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  scope TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, client_id, redirect_uri)
) STRICT, WITHOUT ROWID;
CREATE INDEX consent_client ON consent (client_id);

CREATE TABLE oauth_grant (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  client_id TEXT NOT NULL REFERENCES client (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  nonce TEXT,
  authenticated_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  revocation_reason TEXT,
  CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_grant_client ON oauth_grant (client_id);
CREATE INDEX oauth_grant_account ON oauth_grant (account_id);
CREATE INDEX oauth_grant_expiry ON oauth_grant (expires_at);
CREATE INDEX oauth_grant_revoked ON oauth_grant (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE authorization_code (
  fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
  grant_id TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  challenge TEXT,
  expires_at INTEGER NOT NULL,
  consumed_at INTEGER,
  failures INTEGER NOT NULL CHECK (failures >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_code_grant ON authorization_code (grant_id);
CREATE INDEX authorization_code_expiry ON authorization_code (expires_at) WHERE consumed_at IS NULL;

CREATE TABLE refresh_token (
  fingerprint BLOB PRIMARY KEY NOT NULL CHECK (length(fingerprint) = 32),
  grant_id TEXT NOT NULL REFERENCES oauth_grant (id) ON DELETE CASCADE,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  consumed_at INTEGER,
  successor BLOB CHECK (length(successor) = 32),
  sealed_successor BLOB,
  predecessor BLOB CHECK (length(predecessor) = 32),
  CHECK (consumed_at IS NOT NULL OR (successor IS NULL AND sealed_successor IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX refresh_token_one_live_per_grant ON refresh_token (grant_id) WHERE consumed_at IS NULL;
CREATE INDEX refresh_token_grant ON refresh_token (grant_id);
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);

-- A revoked grant gets no new codes or tokens, and a consumed code or token stays consumed.
CREATE TRIGGER authorization_code_of_living_grant BEFORE INSERT ON authorization_code
WHEN (SELECT revoked_at FROM oauth_grant WHERE id = NEW.grant_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the grant is revoked'); END;
CREATE TRIGGER refresh_token_of_living_grant BEFORE INSERT ON refresh_token
WHEN (SELECT revoked_at FROM oauth_grant WHERE id = NEW.grant_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the grant is revoked'); END;
CREATE TRIGGER oauth_grant_stays_revoked BEFORE UPDATE OF revoked_at ON oauth_grant WHEN OLD.revoked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the grant is revoked already'); END;
CREATE TRIGGER authorization_code_stays_consumed BEFORE UPDATE OF consumed_at ON authorization_code
WHEN OLD.consumed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the code was consumed already'); END;
CREATE TRIGGER refresh_token_stays_consumed BEFORE UPDATE OF consumed_at ON refresh_token
WHEN OLD.consumed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the token was consumed already'); END;

CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('1 accounts, clients and keys'), ('2 sessions and grants');

INSERT INTO account VALUES ('acct-a', 'ada', '$', 0, 'Ada', NULL, 0, NULL);
INSERT INTO client VALUES ('notes', 'Notes', 'public', 'native', 'operator', 'openid offline_access', 'ES256', NULL, 0);
INSERT INTO client_redirect_uri VALUES ('notes', 0, 'http://127.0.0.1/cb');
INSERT INTO browser_session VALUES (zeroblob(32), 'acct-a', 1000, 2000, 9000000000000, NULL);
INSERT INTO oauth_grant VALUES ('g', 'notes', 'acct-a', 'openid', NULL, 1000, 2000, 9000000000000, NULL, NULL);
