-- name: models_of: The models that made a vector of a memory.
SELECT name FROM vectors JOIN embedding_models USING (model_id) WHERE memory_id = :memory_id ORDER BY name;

-- name: model
SELECT model_id, dims FROM embedding_models WHERE name = :name;

-- name: add_model
INSERT INTO embedding_models (name, dims) VALUES (:name, :dims) ON CONFLICT (name) DO NOTHING;

-- name: models
SELECT name, dims, COUNT(memory_id) AS vectors FROM embedding_models LEFT JOIN vectors USING (model_id)
GROUP BY model_id, name, dims ORDER BY model_id;

-- name: put @sqlite
-- REPLACE and not an upsert: the row must get a new `seq`.
INSERT OR REPLACE INTO vectors (memory_id, model_id, source, vector) VALUES (:memory_id, :model_id, :source, :vector);

-- name: put @postgres
INSERT INTO vectors (memory_id, model_id, source, vector) VALUES (:memory_id, :model_id, :source, :vector::vector)
ON CONFLICT (memory_id, model_id) DO UPDATE SET
    source = excluded.source, vector = excluded.vector, seq = nextval(pg_get_serial_sequence('nous.vectors', 'seq')),
    is_indexed = false;

-- name: index_new @postgres
SELECT index_vectors(:model_id, :many, :few) AS indexed;

-- name: known @sqlite
-- Vectors that the same model made of the same words before.
SELECT source, vector FROM vectors
WHERE model_id = :model_id AND source IN (SELECT value FROM json_each(:sources)) GROUP BY source;

-- name: known @postgres
SELECT DISTINCT ON (source) source, vector FROM vectors
WHERE model_id = :model_id AND source IN (SELECT value FROM json_each(:sources)) ORDER BY source;

-- name: of_memories
SELECT memory_id, vector FROM vectors
WHERE model_id = :model_id AND memory_id IN (SELECT value FROM json_each(:ids));

-- name: of
SELECT memory_id, model_id, vector FROM vectors
WHERE memory_id IN (SELECT value FROM json_each(:ids)) ORDER BY memory_id, model_id;

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
    AND (:project_id IS NULL OR project_id = :project_id OR scope IN ('global', 'team', 'organisation'))
ORDER BY nearness DESC LIMIT :limit;

-- name: nearest @postgres
SELECT memory_id, 1.0 - (vector <=> :vector::vector) AS nearness
FROM vectors JOIN memories ON id = memory_id
WHERE model_id = :model_id AND (:any_status = 1 OR status = 'active')
    AND (:project_id IS NULL OR project_id = :project_id OR scope IN ('global', 'team', 'organisation'))
ORDER BY nearness DESC LIMIT :limit;

-- name: nearest_of_all @sqlite
-- The same, looking at who may see them only for the nearest: right when enough of those may be seen.
SELECT memory_id, nearness, project_id, scope, status FROM (
    SELECT memory_id, 1.0 - vec_distance_cosine(vector, :vector) AS nearness
    FROM vectors WHERE model_id = :model_id ORDER BY nearness DESC LIMIT :limit)
JOIN memories ON id = memory_id ORDER BY nearness DESC;

-- name: nearest_of_all @postgres
-- Among many vectors of a tenant by the index, among few by comparing them all.
SELECT near.memory_id, near.nearness, project_id, scope, status
FROM nearest_vectors(:model_id, :vector::vector, :limit) AS near JOIN memories ON id = near.memory_id
ORDER BY near.nearness DESC;

-- name: nearness @sqlite
SELECT memory_id, 1.0 - vec_distance_cosine(vector, :vector) AS nearness FROM vectors
WHERE model_id = :model_id AND memory_id IN (SELECT value FROM json_each(:ids));

-- name: nearness @postgres
SELECT memory_id, 1.0 - (vector <=> :vector::vector) AS nearness FROM vectors
WHERE model_id = :model_id AND memory_id IN (SELECT value FROM json_each(:ids));

-- name: drop
DELETE FROM vectors WHERE memory_id = :memory_id;
