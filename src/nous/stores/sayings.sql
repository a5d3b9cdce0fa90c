-- name: due
SELECT s.session_id, s.project_id, s.turns FROM sessions AS s LEFT JOIN observed_sessions AS o USING (session_id)
WHERE s.turns > COALESCE(o.turns, 0) AND (s.last_at <= :quiet OR s.last_at > :now)
ORDER BY s.first_at, s.session_id LIMIT :limit;

-- name: observed
INSERT INTO observed_sessions (session_id, project_id, turns, observed_at) VALUES (:session_id, :project_id, :turns, :now)
ON CONFLICT (session_id) DO UPDATE SET turns = excluded.turns, observed_at = excluded.observed_at;

-- name: add
INSERT INTO sayings (project_id, session_id, record, nth, at, key, text, chance, model, vector)
VALUES (:project_id, :session_id, :record, :nth, :at, :key, :text, :chance, :model, :vector)
ON CONFLICT (record, nth) DO NOTHING;

-- name: vectors_after
SELECT saying_id, vector FROM sayings
WHERE project_id = :project_id AND model = :model AND saying_id > :after AND chance > 0 ORDER BY saying_id;

-- name: of_numbers
SELECT saying_id, record, nth, at, text, chance, session_id FROM sayings
WHERE saying_id IN (SELECT value FROM json_each(:numbers)) AND session_id <> :besides AND chance > 0;

-- name: records_with
SELECT key, record FROM sayings
WHERE project_id = :project_id AND key IN (SELECT value FROM json_each(:keys)) AND session_id <> :besides;

-- name: said_in
SELECT record, nth, at, text, chance, session_id FROM sayings
WHERE record IN (SELECT value FROM json_each(:records)) AND chance > 0 ORDER BY record, nth;

-- name: trim
DELETE FROM sayings WHERE project_id = :project_id AND saying_id <= (
    SELECT saying_id FROM sayings WHERE project_id = :project_id ORDER BY saying_id DESC LIMIT 1 OFFSET :keep);

-- name: drop_session
DELETE FROM sayings WHERE session_id = :session_id;

-- name: drop_observed
DELETE FROM observed_sessions WHERE session_id = :session_id;

-- name: disown
UPDATE sayings SET chance = 0 WHERE record = :record;

-- name: drop_record
DELETE FROM sayings WHERE record = :record;

-- name: drop_words
DELETE FROM sayings WHERE text LIKE :pattern ESCAPE '\';
