-- A refresh in two round trips, like that of the server: the read, and then all writes together with the COMMIT.
\set number :number + 1
\startpipeline
BEGIN;
SELECT consumed_at FROM token WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number;
\endpipeline
\startpipeline
UPDATE token SET consumed_at = 1, sealed_successor = sha256('successor') WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number;
INSERT INTO token VALUES ('019a' || md5((:client_id)::text), :number + 1, sha256('token'), 0, 0);
UPDATE token SET sealed_successor = NULL WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number - 1;
COMMIT;
\endpipeline
