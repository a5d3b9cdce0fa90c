-- name: join_session
INSERT INTO text_sessions (session_id, memory_id) VALUES (:session_id, :memory_id)
ON CONFLICT (session_id, memory_id) DO NOTHING;

-- name: session_of
SELECT session_id FROM text_sessions WHERE memory_id = :memory_id;

-- name: leave_session
DELETE FROM text_sessions WHERE memory_id = :memory_id;

-- name: clear_sessions
DELETE FROM text_sessions;

-- name: said_before @sqlite
-- The memories of a session before a number, the nearest first.
SELECT memory_id AS id, (SELECT content FROM memories_fts WHERE rowid = memory_id) AS content
FROM text_sessions WHERE session_id = :session_id AND memory_id < :memory_id ORDER BY memory_id DESC LIMIT :limit;

-- name: said_after @sqlite
SELECT memory_id AS id, (SELECT content FROM memories_fts WHERE rowid = memory_id) AS content
FROM text_sessions WHERE session_id = :session_id AND memory_id > :memory_id ORDER BY memory_id LIMIT :limit;

-- name: set_context @sqlite
UPDATE memories_fts SET asked = :asked, context = :context WHERE rowid = :id;

-- name: asked @sqlite
SELECT asked FROM memories_fts WHERE rowid = :id;

-- name: models_of
SELECT name FROM vectors JOIN embedding_models USING (model_id) WHERE memory_id = :memory_id ORDER BY name;

-- name: enqueue
INSERT INTO vector_queue (memory_id) VALUES (:memory_id) ON CONFLICT (memory_id) DO NOTHING;

-- name: enqueue_missing
-- Everything that has no vector of this model yet.
INSERT INTO vector_queue (memory_id)
SELECT id FROM memories WHERE status != 'erased'
    AND id NOT IN (SELECT memory_id FROM vectors WHERE model_id = :model_id)
ON CONFLICT (memory_id) DO NOTHING;

-- name: waiting
SELECT COUNT(*) AS waiting FROM vector_queue;

-- name: next_waiting @sqlite
SELECT queue.memory_id, text.content, text.asked, text.context, memories.type, memories.rest
FROM vector_queue AS queue
LEFT JOIN memories ON memories.id = queue.memory_id
LEFT JOIN memories_fts AS text ON text.rowid = queue.memory_id
ORDER BY queue.memory_id LIMIT :limit;

-- name: done
DELETE FROM vector_queue WHERE memory_id = :memory_id;

-- name: model
SELECT model_id, dims FROM embedding_models WHERE name = :name;

-- name: add_model
INSERT INTO embedding_models (name, dims) VALUES (:name, :dims) ON CONFLICT (name) DO NOTHING;

-- name: models
SELECT name, dims, COUNT(memory_id) AS vectors FROM embedding_models LEFT JOIN vectors USING (model_id)
GROUP BY model_id ORDER BY model_id;

-- name: put
-- REPLACE and not an upsert: the row must get a new `seq`.
INSERT OR REPLACE INTO vectors (memory_id, model_id, source, vector) VALUES (:memory_id, :model_id, :source, :vector);

-- name: known @sqlite
-- Vectors that the same model made of the same words before.
SELECT source, vector FROM vectors
WHERE model_id = :model_id AND source IN (SELECT value FROM json_each(:sources)) GROUP BY source;

-- name: of_memories @sqlite
SELECT memory_id, vector FROM vectors
WHERE model_id = :model_id AND memory_id IN (SELECT value FROM json_each(:ids));

-- name: written_after
-- Vectors written after a certain one, with what decides who may see them.
SELECT seq, memory_id, project_id, scope, status, vector
FROM vectors JOIN memories ON id = memory_id WHERE model_id = :model_id AND seq > :seq ORDER BY seq;

-- name: changed_after
SELECT id, project_id, scope, status, version FROM memories WHERE version > :version ORDER BY version;

-- name: counted
SELECT COUNT(*) AS vectors FROM vectors WHERE model_id = :model_id;

-- name: last_seq
SELECT COALESCE(MAX(seq), 0) AS seq FROM vectors;

-- name: last_version
SELECT COALESCE(MAX(version), 0) AS version FROM memories;

-- name: nearest @sqlite
-- The whole scan in SQL, through sqlite-vec: for a process that asks once.
SELECT memory_id, 1.0 - vec_distance_cosine(vector, :vector) AS nearness
FROM vectors JOIN memories ON id = memory_id
WHERE model_id = :model_id AND (:any_status OR status = 'active')
    AND (:project_id IS NULL OR project_id = :project_id OR scope = 'global')
ORDER BY nearness DESC LIMIT :limit;

-- name: nearest_of_all @sqlite
-- The same, looking at who may see them only for the nearest: right when enough of those may be seen.
SELECT memory_id, nearness, project_id, scope, status FROM (
    SELECT memory_id, 1.0 - vec_distance_cosine(vector, :vector) AS nearness
    FROM vectors WHERE model_id = :model_id ORDER BY nearness DESC LIMIT :limit)
JOIN memories ON id = memory_id ORDER BY nearness DESC;

-- name: nearness @sqlite
SELECT memory_id, 1.0 - vec_distance_cosine(vector, :vector) AS nearness FROM vectors
WHERE model_id = :model_id AND memory_id IN (SELECT value FROM json_each(:ids));

-- name: drop
DELETE FROM vectors WHERE memory_id = :memory_id;

-- name: told_between
-- Memories that became true in a stretch of time, the latest first.
SELECT id FROM memories
WHERE project_id = :project_id AND status = 'active' AND valid_from >= :first AND valid_from < :last
ORDER BY valid_from DESC LIMIT :limit;

-- name: unlinked
-- Vectors that were not compared with the earlier ones yet, in the order they were written.
SELECT seq, memory_id, learning_id, project_id, type, vector FROM vectors JOIN memories ON id = memory_id
WHERE model_id = :model_id AND status != 'erased'
    AND seq > COALESCE((SELECT linked.seq FROM linked_vectors AS linked WHERE linked.model_id = :model_id), 0)
ORDER BY seq LIMIT :limit;

-- name: set_linked
INSERT INTO linked_vectors (model_id, seq) VALUES (:model_id, :seq)
ON CONFLICT (model_id) DO UPDATE SET seq = excluded.seq;

-- name: clear_linked
DELETE FROM linked_vectors;

-- name: nearest_earlier @sqlite
SELECT memory_id, 1.0 - vec_distance_cosine(vector, :vector) AS nearness
FROM vectors JOIN memories ON id = memory_id
WHERE model_id = :model_id AND memory_id < :memory_id AND (project_id = :project_id OR scope = 'global')
    AND status != 'erased'
ORDER BY nearness DESC LIMIT :limit;

-- name: learnings @sqlite
SELECT id, learning_id, type FROM memories WHERE id IN (SELECT value FROM json_each(:ids));
