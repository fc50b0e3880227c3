-- A refresh in one round trip: a function runs all statements.
\set number :number + 1
SELECT refresh('019a' || md5((:client_id)::text), :number);
