-- name: enqueue: Ask for vectors of these memories.
INSERT INTO vector_queue (memory_id) VALUES (:memory_id) ON CONFLICT (memory_id) DO NOTHING;

-- name: enqueue_missing: Ask for a vector of every memory that has none of this model.
-- Everything that has no vector of this model yet.
INSERT INTO vector_queue (memory_id)
SELECT id FROM memories WHERE status != 'erased'
    AND id NOT IN (SELECT memory_id FROM vectors WHERE model_id = :model_id)
ON CONFLICT (memory_id) DO NOTHING;

-- name: waiting: How many memories wait for a vector.
SELECT COUNT(*) AS waiting FROM vector_queue;

-- name: next_waiting @sqlite
SELECT queue.memory_id, text.content, text.asked, text.context, memories.type, memories.rest
FROM vector_queue AS queue
LEFT JOIN memories ON memories.id = queue.memory_id
LEFT JOIN memories_fts AS text ON text.rowid = queue.memory_id
ORDER BY queue.memory_id LIMIT :limit;

-- name: next_waiting @postgres
SELECT queue.memory_id, text.content, text.asked, text.context, memories.type, memories.rest
FROM vector_queue AS queue
LEFT JOIN memories ON memories.id = queue.memory_id
LEFT JOIN memories_fts AS text ON text.id = queue.memory_id
ORDER BY queue.memory_id LIMIT :limit;

-- name: finish: Take memories out of the queue.
DELETE FROM vector_queue WHERE memory_id IN (SELECT value FROM json_each(:memory_ids));
