-- name: put
INSERT INTO nli_results (memory_id_a, memory_id_b, nli_label, relation, confidence, model_version, updated_at)
VALUES (:memory_id_a, :memory_id_b, :nli_label, :relation, :confidence, :model_version, :updated_at)
ON CONFLICT (memory_id_a, memory_id_b) DO UPDATE SET
    nli_label = excluded.nli_label, relation = excluded.relation, confidence = excluded.confidence,
    model_version = excluded.model_version, updated_at = excluded.updated_at;

-- name: of_pairs @sqlite
SELECT memory_id_a, memory_id_b, nli_label, relation, confidence
FROM json_each(:pairs) AS pair
JOIN nli_results ON memory_id_a = pair.value ->> 0 AND memory_id_b = pair.value ->> 1
WHERE model_version = :model_version;

-- name: of_pairs @postgres
SELECT memory_id_a, memory_id_b, nli_label, relation, confidence
FROM json_array_elements(:pairs::json) AS pair
JOIN nli_results ON memory_id_a = (pair ->> 0)::bigint AND memory_id_b = (pair ->> 1)::bigint
WHERE model_version = :model_version;

-- name: of_memory: Every judgement about a memory.
SELECT memory_id_a, memory_id_b, nli_label, relation, confidence, model_version, updated_at FROM nli_results
WHERE memory_id_a = :memory_id OR memory_id_b = :memory_id ORDER BY memory_id_a, memory_id_b;

-- name: counts: How many pairs were judged, by label.
SELECT nli_label, COUNT(*) AS pairs FROM nli_results GROUP BY nli_label;

-- name: forget: Drop what was said about a memory (erasure).
DELETE FROM nli_results WHERE memory_id_a = :memory_id OR memory_id_b = :memory_id;

-- name: reached: The last version of a memory that was looked at with a model.
SELECT last_version FROM reconciled WHERE model_version = :model;

-- name: set_reached: Say how far reconciliation has come; in the same transaction as what it wrote.
INSERT INTO reconciled (model_version, last_version, updated_at) VALUES (:model, :version, :now)
ON CONFLICT (model_version) DO UPDATE SET last_version = excluded.last_version, updated_at = excluded.updated_at;

-- name: changed
-- Active memories that changed after a version, in the order of their change.
SELECT id, version, project_id FROM memories
WHERE version > :after AND status = 'active' ORDER BY version LIMIT :limit;
