-- name: put
INSERT INTO briefs (learning_id, session_id, project_id, at, reader, lines, version)
VALUES (:learning_id, :session_id, :project_id, :at, :reader, :lines, :version)
ON CONFLICT (learning_id) DO UPDATE SET session_id = excluded.session_id, project_id = excluded.project_id, at = excluded.at, reader = excluded.reader, lines = excluded.lines,
    version = excluded.version;

-- name: drop: A brief was taken back or erased.
DELETE FROM briefs WHERE learning_id = :learning_id;

-- name: clear: Empty the read model before it is built again.
DELETE FROM briefs;

-- name: of_project
SELECT at, reader, lines, version FROM briefs WHERE project_id = :project_id AND (:until IS NULL OR at <= :until)
ORDER BY at DESC, version DESC LIMIT 1;
