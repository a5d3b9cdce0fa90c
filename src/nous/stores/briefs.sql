-- name: put
INSERT INTO briefs (learning_id, session_id, project_id, at, reader, lines, version)
VALUES (:learning_id, :session_id, :project_id, :at, :reader, :lines, :version)
ON CONFLICT (learning_id) DO UPDATE SET session_id = excluded.session_id, project_id = excluded.project_id, at = excluded.at, reader = excluded.reader, lines = excluded.lines,
    version = excluded.version;

-- name: drop
DELETE FROM briefs WHERE learning_id = :learning_id;

-- name: clear
DELETE FROM briefs;

-- name: of_project
SELECT at, reader, lines, version FROM briefs WHERE project_id = :project_id ORDER BY at DESC, version DESC LIMIT 1;

-- name: put_session
INSERT INTO read_sessions
    (learning_id, session_id, project_id, at, reader, title, summary, outcome, open, done, topics, version, things, causes)
VALUES (:learning_id, :session_id, :project_id, :at, :reader, :title, :summary, :outcome, :open, :done, :topics, :version,
    :things, :causes)
ON CONFLICT (learning_id) DO UPDATE SET session_id = excluded.session_id, project_id = excluded.project_id, at = excluded.at, reader = excluded.reader,
    title = excluded.title, summary = excluded.summary, outcome = excluded.outcome, open = excluded.open, done = excluded.done,
    topics = excluded.topics, version = excluded.version, things = excluded.things, causes = excluded.causes;

-- name: drop_session
DELETE FROM read_sessions WHERE learning_id = :learning_id;

-- name: clear_sessions
DELETE FROM read_sessions;

-- name: session
SELECT * FROM read_sessions WHERE session_id = :session_id ORDER BY version DESC LIMIT 1;

-- name: sessions
SELECT * FROM read_sessions WHERE project_id = :project_id ORDER BY at DESC, session_id LIMIT :limit;

-- name: put_line
INSERT INTO brief_lines (learning_id, project_id, text, sources, beside, words, state, place, at, version)
VALUES (:learning_id, :project_id, :text, :sources, :beside, :words, :state, :place, :at, :version)
ON CONFLICT (learning_id) DO UPDATE SET project_id = excluded.project_id, text = excluded.text, sources = excluded.sources, beside = excluded.beside,
    words = excluded.words, state = excluded.state, place = excluded.place, at = excluded.at, version = excluded.version;

-- name: drop_line
DELETE FROM brief_lines WHERE learning_id = :learning_id;

-- name: clear_lines
DELETE FROM brief_lines;

-- name: lines
SELECT * FROM brief_lines WHERE project_id = :project_id ORDER BY at, version;

-- name: things
SELECT things FROM read_sessions WHERE project_id = :project_id AND things <> '[]' ORDER BY at DESC, session_id;
