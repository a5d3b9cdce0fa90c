-- name: put
INSERT INTO edges (source_id, target_id, rel_type, weight, confidence, status, valid_from, created_at, version)
VALUES (:source_id, :target_id, :rel_type, :weight, :confidence, :status, :valid_from, :created_at, :version)
ON CONFLICT (source_id, target_id, rel_type) DO UPDATE SET
    weight = excluded.weight, confidence = excluded.confidence, status = excluded.status, version = excluded.version;

-- name: remove
DELETE FROM edges WHERE source_id = :source_id AND target_id = :target_id AND rel_type = :rel_type;

-- name: drop_learning
DELETE FROM edges WHERE source_id = :learning_id OR target_id = :learning_id;

-- name: of_learning
SELECT * FROM edges WHERE source_id = :learning_id OR target_id = :learning_id
ORDER BY source_id, target_id, rel_type;

-- name: traverse @sqlite
-- Learnings within some hops of the given ones, each with the strength of its strongest path.
WITH RECURSIVE steps (a, b, weight) AS (
    SELECT source_id, target_id, weight FROM edges WHERE status = 'active' AND rel_type != 'supersedes'
    UNION ALL
    SELECT target_id, source_id, weight FROM edges WHERE status = 'active' AND rel_type != 'supersedes'
), reached (learning_id, proximity, depth) AS (
    SELECT value, 1.0, 0 FROM json_each(:ids)
    UNION
    SELECT steps.b, reached.proximity * steps.weight * CASE WHEN reached.depth = 0 THEN 1.0 ELSE 0.5 END, reached.depth + 1
    FROM reached JOIN steps ON steps.a = reached.learning_id WHERE reached.depth < :depth
)
SELECT learning_id, MAX(proximity) AS proximity FROM reached WHERE depth > 0 GROUP BY learning_id ORDER BY proximity DESC;

-- name: clear
DELETE FROM edges;
