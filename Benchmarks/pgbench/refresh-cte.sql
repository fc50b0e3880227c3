-- A refresh in one round trip: one statement whose parts all see the rows as they were before it. The server's schema does not allow
-- this, because a trigger requires that the last token has been consumed before the next one is added.
\set number :number + 1
WITH last AS (
  SELECT grant_id, number FROM token WHERE grant_id = '019a' || md5((:client_id)::text) AND number = :number
), consumed AS (
  UPDATE token SET consumed_at = 1, sealed_successor = sha256('successor') FROM last
    WHERE token.grant_id = last.grant_id AND token.number = last.number
), forgotten AS (
  UPDATE token SET sealed_successor = NULL FROM last
    WHERE token.grant_id = last.grant_id AND token.number = last.number - 1
)
INSERT INTO token SELECT '019a' || md5((:client_id)::text), :number + 1, sha256('token'), 0, 0;
