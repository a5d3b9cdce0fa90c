-- name: put
-- What is said last counts; who gives no evidence leaves what was given before.
INSERT INTO edges (
    source_id, target_id, rel_type, weight, confidence, status, valid_from, created_at, version, valid_until, evidence)
VALUES (
    :source_id, :target_id, :rel_type, :weight, :confidence, :status, :valid_from, :created_at, :version, :valid_until,
    :evidence)
ON CONFLICT (source_id, target_id, rel_type) DO UPDATE SET
    weight = excluded.weight, confidence = excluded.confidence, status = excluded.status, version = excluded.version,
    valid_until = excluded.valid_until,
    evidence = CASE excluded.evidence WHEN '[]' THEN edges.evidence ELSE excluded.evidence END;

-- name: remove: Take out single relations, each by its two ends and its type.
DELETE FROM edges WHERE source_id = :source_id AND target_id = :target_id AND rel_type = :rel_type;

-- name: drop_learning
DELETE FROM edges WHERE source_id = :learning_id OR target_id = :learning_id;

-- name: of: Every relation from or to a learning.
SELECT * FROM edges WHERE source_id = :learning_id
UNION ALL
SELECT * FROM edges WHERE target_id = :learning_id AND source_id != :learning_id
ORDER BY source_id, target_id, rel_type;

-- name: list_suggested: Relations that nobody accepted or rejected yet, between active memories; the surest first.
SELECT edges.*, source.id AS source_number, target.id AS target_number FROM edges
JOIN memories AS source ON source.learning_id = edges.source_id AND source.status = 'active'
JOIN memories AS target ON target.learning_id = edges.target_id AND target.status = 'active'
WHERE edges.status = 'suggested' AND (:project_id IS NULL OR source.project_id = :project_id)
ORDER BY edges.confidence DESC, edges.weight DESC, source.id, target.id LIMIT :limit;

-- name: in_degrees
-- How many relations lead to each of some learnings.
SELECT target_id, COUNT(*) AS degree FROM edges
WHERE target_id IN (SELECT value FROM json_each(:ids)) AND status = 'active' AND rel_type != 'supersedes'
GROUP BY target_id;

-- name: clear: Empty the read model before it is built again.
DELETE FROM edges;
