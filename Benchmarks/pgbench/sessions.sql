-- Fills a database with live sessions: SESSIONS grants, each with a browser session and one valid refresh token, of SESSIONS / 5 users.
-- SESSIONS is a variable of psql. Standard input has the SHA-256 fingerprints of the tokens that the benchmark will send, in hexadecimal,
-- one per line. The output has the identifier of each of these tokens, in the same order.
--
-- The grants, tokens, and sessions are like those that the server would have written within the last thirteen days.
-- About one in a hundred refresh tokens expires within the next hour, so that the server has expired rows to remove.
\set ON_ERROR_STOP on
SET search_path = sallyport, pg_temp;
-- Without triggers and foreign keys, and without waiting for the disk.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET work_mem = '256MB';
SET maintenance_work_mem = '512MB';

CREATE FUNCTION pg_temp.token() RETURNS text LANGUAGE sql VOLATILE AS
  $$ SELECT translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_') $$;
CREATE FUNCTION pg_temp.now() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT (extract(epoch FROM now()) * 1000)::bigint $$;

CREATE TEMP TABLE known (number bigserial, fingerprint text);
\copy known (fingerprint) FROM pstdin
-- Known tokens are spread evenly over all sessions.
SELECT :sessions / count(*) AS step FROM known \gset

-- Indexes are built faster after the rows.
CREATE TEMP TABLE removed AS SELECT indexname AS name, indexdef AS definition FROM pg_indexes
  WHERE schemaname = 'sallyport' AND tablename IN ('account', 'oauth_grant', 'refresh_token', 'browser_session')
    AND indexname NOT IN (SELECT conname FROM pg_constraint);
DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT name FROM removed LOOP EXECUTE 'DROP INDEX sallyport.' || quote_ident(r.name); END LOOP;
END $$;

CREATE TEMP TABLE filled AS
  SELECT number, id, (get_byte(sha256(convert_to(id, 'UTF8')), 0) << 4) | (get_byte(sha256(convert_to(id, 'UTF8')), 1) >> 4) AS shard
  FROM (SELECT number, pg_temp.token() AS id FROM generate_series(1, greatest(1, :sessions / 5)) number) each;
INSERT INTO account (id, username, password_hash, password_changed_at, created_at)
  SELECT id, 'filled-' || number, '', pg_temp.now() - 30 * 86400000::bigint, pg_temp.now() - 30 * 86400000::bigint FROM filled;

-- The identifier of a grant begins with the shard of its account and the time. Each session has a number `n`.
CREATE TEMP TABLE session AS
  SELECT lpad(to_hex(shard), 3, '0') || '-' || lpad(to_hex(created), 11, '0') || '-' || pg_temp.token() AS id, account, created,
    pg_temp.token() AS sid, n
  FROM (
    SELECT filled.id AS account, shard, pg_temp.now() - (random() * 13 * 86400000)::bigint AS created,
      row_number() OVER () AS n
    FROM filled, generate_series(1, 5)
  ) each LIMIT :sessions;
INSERT INTO oauth_grant (id, client_id, account_id, scope, resources, session_id, amr, authenticated_at, created_at, expires_at)
  SELECT id, 'benchmark', account, 'openid offline_access', '', sid, 'pwd', created, created, created + 365 * 86400000::bigint
  FROM session ORDER BY id;
INSERT INTO refresh_token (grant_id, number, fingerprint, issued_at, expires_at)
  SELECT id, 1, coalesce(decode(known.fingerprint, 'hex'), uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), created,
    CASE WHEN known.fingerprint IS NULL AND n % 100 = 7 THEN pg_temp.now() + (random() * 3600000)::bigint
      ELSE created + 30 * 86400000::bigint END
  FROM session LEFT JOIN known ON n = 1 + (known.number - 1) * :step
  ORDER BY id;
INSERT INTO browser_session (fingerprint, sid, account_id, authenticated_at, last_seen_at, expires_at)
  SELECT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), sid, account, created, created, created + 14 * 86400000::bigint
  FROM session;

DO $$ DECLARE r record; BEGIN FOR r IN SELECT definition FROM removed LOOP EXECUTE r.definition; END LOOP; END $$;
COPY (SELECT id || '~1' FROM session JOIN known ON n = 1 + (known.number - 1) * :step ORDER BY known.number) TO STDOUT;
