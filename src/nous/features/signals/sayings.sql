-- name: due: Sessions that rest since a moment and were not observed to their end, oldest first.
SELECT s.session_id, s.project_id, s.turns FROM sessions AS s LEFT JOIN observed_sessions AS o USING (session_id)
WHERE s.turns > COALESCE(o.turns, 0) AND (s.last_at <= :quiet_until OR s.last_at > :now)
ORDER BY s.first_at, s.session_id LIMIT :limit;

-- name: note_observed
INSERT INTO observed_sessions (session_id, project_id, turns, observed_at) VALUES (:session_id, :project_id, :turns, :now)
ON CONFLICT (session_id) DO UPDATE SET turns = excluded.turns, observed_at = excluded.observed_at;

-- name: drop_observed
DELETE FROM observed_sessions WHERE session_id = :session_id;
