-- name: put
INSERT INTO outcomes (session_id, memory_id, outcome, reason, decided_at)
VALUES (:session_id, :memory_id, :outcome, :reason, :now) ON CONFLICT (session_id, memory_id) DO NOTHING;

-- name: of_session
SELECT memory_id, outcome, reason, decided_at FROM outcomes WHERE session_id = :session_id ORDER BY memory_id;

-- name: effect
SELECT COUNT(*) FILTER (WHERE outcome = 'useful') AS useful, COUNT(*) AS shown FROM outcomes WHERE memory_id = :memory_id;

-- name: undecided
-- Where transcripts are not kept nobody can tell what became of anything.
SELECT DISTINCT injections.session_id FROM injections
JOIN injected_memories USING (injection_id)
JOIN sessions ON sessions.session_id = injections.session_id AND sessions.last_at < :before
WHERE EXISTS (SELECT 1 FROM transcript_chunks WHERE transcript_chunks.session_id = injections.session_id) AND NOT EXISTS (
    SELECT 1 FROM outcomes
    WHERE outcomes.session_id = injections.session_id AND outcomes.memory_id = injected_memories.memory_id)
ORDER BY injections.session_id LIMIT :limit;

-- name: forget
DELETE FROM outcomes WHERE memory_id = :memory_id;

-- name: step
SELECT last_event_id, finished_at, said FROM maintenance WHERE step = :step;

-- name: set_step
INSERT INTO maintenance (step, last_event_id, finished_at, said) VALUES (:step, :last_event_id, :now, :said)
ON CONFLICT (step) DO UPDATE SET
    last_event_id = excluded.last_event_id, finished_at = excluded.finished_at, said = excluded.said;
