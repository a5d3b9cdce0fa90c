-- name: see_session
INSERT INTO sessions (
    session_id, project_id, transcript_path, client, client_version, cwd, branch, first_at, last_at, prompts, turns)
VALUES (
    :session_id, :project_id, :transcript_path, :client, :client_version, :cwd, :branch, :first_at, :last_at, :prompts, :turns)
ON CONFLICT (session_id) DO UPDATE SET
    client_version = COALESCE(NULLIF(excluded.client_version, ''), sessions.client_version),
    branch = COALESCE(NULLIF(excluded.branch, ''), sessions.branch),
    first_at = MIN(sessions.first_at, excluded.first_at), last_at = MAX(sessions.last_at, excluded.last_at),
    prompts = sessions.prompts + excluded.prompts, turns = sessions.turns + excluded.turns;

-- name: last_chunk
SELECT chunk_id, session_id, file_inode, start_offset, end_offset, turns, raw_bytes, first_at, data FROM transcript_chunks
WHERE transcript_path = :path ORDER BY chunk_id DESC LIMIT 1;

-- name: add_chunk
INSERT INTO transcript_chunks (
    session_id, agent_id, transcript_path, file_inode, start_offset, end_offset, turns, raw_bytes, first_at, last_at, data)
VALUES (
    :session_id, :agent_id, :path, :inode, :start_offset, :end_offset, :turns, :raw_bytes, :first_at, :last_at, :data);

-- name: grow_chunk
UPDATE transcript_chunks SET
    end_offset = :end_offset, turns = :turns, raw_bytes = :raw_bytes, last_at = :last_at, data = :data
WHERE chunk_id = :chunk_id;

-- name: shrink_chunk
UPDATE transcript_chunks SET turns = :turns, raw_bytes = :raw_bytes, data = :data WHERE chunk_id = :chunk_id;

-- name: before
-- What a file said before an offset, newest first; also what stood under its path before it was rewritten.
SELECT data FROM transcript_chunks
WHERE transcript_path = :path AND (file_inode <> :inode OR end_offset <= :offset) ORDER BY chunk_id DESC LIMIT :limit;

-- name: of_session
SELECT chunk_id, agent_id, transcript_path, turns, data FROM transcript_chunks
WHERE session_id = :session_id ORDER BY agent_id, chunk_id;

-- name: chunk
SELECT data FROM transcript_chunks WHERE chunk_id = :chunk_id;

-- name: every_chunk
SELECT chunk_id, data FROM transcript_chunks ORDER BY chunk_id;

-- name: drop_session_chunks
DELETE FROM transcript_chunks WHERE session_id = :session_id;

-- name: drop_session
DELETE FROM sessions WHERE session_id = :session_id;

-- name: drop_session_items
UPDATE ingest_events SET payload_json = '[]' WHERE session_id = :session_id;

-- name: expire: Drop what was said before a moment; how many chunks.
DELETE FROM transcript_chunks WHERE last_at < :moment;

-- name: move
UPDATE transcript_chunks SET transcript_path = :path WHERE transcript_path = :old_path;

-- name: sessions: Sessions, the latest first.
SELECT s.session_id, s.project_id, s.transcript_path, s.client, s.client_version, s.cwd, s.branch, s.first_at, s.last_at,
    s.prompts, s.turns, COALESCE(SUM(LENGTH(c.data)), 0) AS bytes,
    COUNT(DISTINCT CASE WHEN c.agent_id <> '' THEN c.agent_id END) AS agents
FROM sessions AS s LEFT JOIN transcript_chunks AS c ON c.session_id = s.session_id
WHERE :project_id IS NULL OR s.project_id = :project_id
GROUP BY s.session_id, s.project_id, s.transcript_path, s.client, s.client_version, s.cwd, s.branch, s.first_at, s.last_at,
    s.prompts, s.turns
ORDER BY s.last_at DESC, s.session_id LIMIT :limit;

-- name: find_sessions
SELECT session_id FROM sessions
WHERE session_id >= :start AND session_id < :end ORDER BY session_id LIMIT 3;

-- name: latest_begun
SELECT first_at FROM sessions WHERE project_id = :project_id ORDER BY last_at DESC, session_id LIMIT :limit;

-- name: session: One session.
SELECT * FROM sessions WHERE session_id = :session_id;

-- name: size: How many sessions are archived, and their size as stored and as text.
SELECT COUNT(DISTINCT session_id) AS sessions, COALESCE(SUM(LENGTH(data)), 0) AS bytes,
    COALESCE(SUM(raw_bytes), 0) AS raw_bytes, MIN(first_at) AS oldest FROM transcript_chunks;
