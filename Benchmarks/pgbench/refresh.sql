-- The statements of a refresh. The last token of a grant is found by its number, because pgbench keeps no tokens.
\set id random(1, 10000)
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT grant_id, number FROM token WHERE grant_id = '019a' || md5((:id)::text) ORDER BY number DESC LIMIT 1 FOR UPDATE \gset
UPDATE token SET consumed_at = 1, sealed_successor = sha256('successor') WHERE grant_id = :grant_id AND number = :number;
INSERT INTO token VALUES (:grant_id, :number + 1, sha256('token'), 0, 0) ON CONFLICT DO NOTHING;
UPDATE token SET sealed_successor = NULL WHERE grant_id = :grant_id AND number = :number - 1;
COMMIT;
