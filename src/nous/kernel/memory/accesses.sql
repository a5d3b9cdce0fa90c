-- name: note
INSERT INTO accesses (memory_id, day, accesses, last_at) VALUES (:memory_id, :day, :accesses, :last_at)
ON CONFLICT (memory_id, day) DO UPDATE SET
    accesses = accesses.accesses + excluded.accesses, last_at = MAX(accesses.last_at, excluded.last_at);

-- name: of
SELECT memory_id, SUM(accesses), MAX(last_at) FROM accesses
WHERE memory_id IN (SELECT value FROM json_each(:ids)) GROUP BY memory_id;

-- name: often: The memories that were asked for or cited at least this many times.
SELECT memory_id FROM accesses GROUP BY memory_id HAVING SUM(accesses) >= :least ORDER BY memory_id;

-- name: forget: Drop what is known about the use of a memory (erasure).
DELETE FROM accesses WHERE memory_id = :memory_id;
