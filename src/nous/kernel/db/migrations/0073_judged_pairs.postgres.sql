-- A judge of microseconds needs no cache (docs/decisions/0212).
DROP TABLE IF EXISTS nli_results;
