-- name: join
INSERT INTO text_sessions (session_id, memory_id) VALUES (:session_id, :memory_id)
ON CONFLICT (session_id, memory_id) DO NOTHING;

-- name: of
SELECT session_id FROM text_sessions WHERE memory_id = :memory_id;

-- name: leave
DELETE FROM text_sessions WHERE memory_id = :memory_id;

-- name: clear: Forget every sequence before the text index is built again.
DELETE FROM text_sessions;

-- name: said_before @sqlite
-- The memories of a session before a number, the nearest first.
SELECT memory_id AS id, (SELECT content FROM memories_fts WHERE rowid = memory_id) AS content
FROM text_sessions WHERE session_id = :session_id AND memory_id < :memory_id ORDER BY memory_id DESC LIMIT :limit;

-- name: said_before @postgres
SELECT memory_id AS id, (SELECT content FROM memories_fts AS t WHERE t.id = memory_id) AS content
FROM text_sessions WHERE session_id = :session_id AND memory_id < :memory_id ORDER BY memory_id DESC LIMIT :limit;

-- name: said_after @sqlite
SELECT memory_id AS id, (SELECT content FROM memories_fts WHERE rowid = memory_id) AS content
FROM text_sessions WHERE session_id = :session_id AND memory_id > :memory_id ORDER BY memory_id LIMIT :limit;

-- name: said_after @postgres
SELECT memory_id AS id, (SELECT content FROM memories_fts AS t WHERE t.id = memory_id) AS content
FROM text_sessions WHERE session_id = :session_id AND memory_id > :memory_id ORDER BY memory_id LIMIT :limit;

-- name: set_context @sqlite
UPDATE memories_fts SET asked = :asked, context = :context WHERE rowid = :id;

-- name: set_context @postgres
UPDATE memories_fts SET asked = :asked, context = :context,
    around_length = index_memory(:id, 0, :asked::words, :context::words, '{}', '{0.5,0.5,0}')
WHERE id = :id;

-- name: answering @sqlite
-- Only memories that follow another one in a session can answer something.
SELECT memory_id FROM text_sessions WHERE memory_id IN (SELECT value FROM json_each(:ids))
    AND (SELECT asked FROM memories_fts WHERE rowid = memory_id) <> '';

-- name: answering @postgres
SELECT memory_id FROM text_sessions WHERE memory_id IN (SELECT value FROM json_each(:ids))
    AND (SELECT asked FROM memories_fts WHERE id = memory_id) <> '';

-- name: get_question @sqlite: The question that a memory answers, or nothing.
SELECT asked FROM memories_fts WHERE rowid = :memory_id;

-- name: get_question @postgres
SELECT asked FROM memories_fts WHERE id = :memory_id;
