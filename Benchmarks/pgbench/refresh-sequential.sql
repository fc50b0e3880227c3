-- A refresh in six round trips: each statement waits for the result of the one before it. In this file and the ones like it, each
-- client refreshes the tokens of its own grant. `number` is the number of its last token.
\set number :number + 1
BEGIN;
SELECT consumed_at FROM token WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number;
UPDATE token SET consumed_at = 1, sealed_successor = sha256('successor') WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number;
INSERT INTO token VALUES ('019a' || md5((:client_id)::text), :number + 1, sha256('token'), 0, 0);
UPDATE token SET sealed_successor = NULL WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number - 1;
COMMIT;
