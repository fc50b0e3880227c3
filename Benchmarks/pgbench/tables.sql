-- A table with the columns of a refresh token, and a token for each of 10,000 grants.
CREATE TABLE token (
  grant_id TEXT NOT NULL, number BIGINT NOT NULL, fingerprint BYTEA NOT NULL, issued_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
  consumed_at BIGINT, sealed_successor BYTEA, PRIMARY KEY (grant_id, number));
INSERT INTO token SELECT '019a' || md5(id::text), 0, sha256(id::text::bytea), 0, 0 FROM generate_series(1, 10000) AS id;
ANALYZE;
