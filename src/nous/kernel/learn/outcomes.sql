-- name: put
INSERT INTO outcomes (session_id, memory_id, outcome, reason, decided_at)
VALUES (:session_id, :memory_id, :outcome, :reason, :now) ON CONFLICT (session_id, memory_id) DO NOTHING;

-- name: of_session: What became of everything a session was shown.
SELECT memory_id, outcome, reason, decided_at FROM outcomes WHERE session_id = :session_id ORDER BY memory_id;

-- name: effect
SELECT COUNT(*) FILTER (WHERE outcome = 'useful') AS useful, COUNT(*) AS shown FROM outcomes WHERE memory_id = :memory_id;

-- name: list_undecided: Sessions that were shown something, said nothing since a moment, and were not looked at yet.
-- Where transcripts are not kept nobody can tell what became of anything.
SELECT DISTINCT injections.session_id FROM injections
JOIN injected_memories USING (injection_id)
JOIN sessions ON sessions.session_id = injections.session_id AND sessions.last_at < :before
WHERE EXISTS (SELECT 1 FROM transcript_chunks WHERE transcript_chunks.session_id = injections.session_id) AND NOT EXISTS (
    SELECT 1 FROM outcomes
    WHERE outcomes.session_id = injections.session_id AND outcomes.memory_id = injected_memories.memory_id)
ORDER BY injections.session_id LIMIT :limit;

-- name: forget: Drop the outcomes of a memory (erasure).
DELETE FROM outcomes WHERE memory_id = :memory_id;

-- name: step: When a step of maintenance last ended, what it had seen and what it said.
SELECT last_event_id, finished_at, said FROM maintenance WHERE step = :name;

-- name: set_step: A step of maintenance is done.
INSERT INTO maintenance (step, last_event_id, finished_at, said) VALUES (:name, :last_event_id, :now, :said)
ON CONFLICT (step) DO UPDATE SET
    last_event_id = excluded.last_event_id, finished_at = excluded.finished_at, said = excluded.said;
