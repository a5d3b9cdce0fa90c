-- name: put
INSERT INTO observed (learning_id, project_id, session_id, started_at, version)
VALUES (:learning_id, :project_id, :session_id, :started_at, :version);

-- name: put_sighting
INSERT INTO observed_sightings (learning_id, project_id, session_id, signal, subject, said, evidence)
VALUES (:learning_id, :project_id, :session_id, :signal, :subject, :said, :evidence)
ON CONFLICT DO NOTHING;

-- name: drop
DELETE FROM observed WHERE learning_id = :learning_id;

-- name: drop_sightings
DELETE FROM observed_sightings WHERE learning_id = :learning_id;

-- name: clear
DELETE FROM observed;

-- name: clear_sightings
DELETE FROM observed_sightings;

-- name: recurring: What some signals saw in one session, with how many sessions of the project saw it, up to `most`.
-- What is seen in more sessions than matter is not counted to its end.
SELECT s.signal, s.subject, s.said, (SELECT COUNT(*) FROM (
    SELECT 1 FROM observed_sightings AS o
    WHERE o.project_id = s.project_id AND o.signal = s.signal AND o.subject = s.subject LIMIT :most) AS seen) AS sessions
FROM observed_sightings AS s WHERE s.session_id = :session_id AND s.project_id || '' = :project_id
    AND s.signal || '' IN (SELECT value FROM json_each(:signals))
ORDER BY sessions DESC, s.signal, s.subject;

-- name: shown_by: The records of some sessions that showed a thing, and when they began.
-- Some of the sessions that showed a thing: their records, and when.
SELECT o.evidence, o.said, b.started_at FROM observed_sightings AS o JOIN observed AS b USING (learning_id)
WHERE o.project_id = :project_id AND o.signal = :signal AND o.subject = :subject ORDER BY b.started_at, learning_id LIMIT :limit;

-- name: naming
SELECT DISTINCT learning_id FROM observed_sightings WHERE evidence LIKE :pattern ESCAPE '\';
