-- name: put_row
INSERT INTO read_sessions
    (learning_id, session_id, project_id, at, reader, title, summary, outcome, open, done, topics, version, things, causes)
VALUES (:learning_id, :session_id, :project_id, :at, :reader, :title, :summary, :outcome, :open, :done, :topics, :version,
    :things, :causes)
ON CONFLICT (learning_id) DO UPDATE SET session_id = excluded.session_id, project_id = excluded.project_id, at = excluded.at, reader = excluded.reader,
    title = excluded.title, summary = excluded.summary, outcome = excluded.outcome, open = excluded.open, done = excluded.done,
    topics = excluded.topics, version = excluded.version, things = excluded.things, causes = excluded.causes;

-- name: drop: A reading was taken back or erased.
DELETE FROM read_sessions WHERE learning_id = :learning_id;

-- name: clear
DELETE FROM read_sessions;

-- name: of_session
SELECT * FROM read_sessions WHERE session_id = :session_id ORDER BY version DESC LIMIT 1;

-- name: of_project
SELECT * FROM read_sessions WHERE project_id = :project_id ORDER BY at DESC, session_id LIMIT :limit;

-- name: things
SELECT things FROM read_sessions WHERE project_id = :project_id AND things <> '[]' ORDER BY at DESC, session_id;
