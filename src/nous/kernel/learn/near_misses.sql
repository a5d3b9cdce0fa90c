-- name: add
INSERT INTO near_misses (
    memory_id, other_id, said, session_id, jaccard, cosine, label, confidence, tier, decision, created_at)
VALUES (:memory_id, :other_id, :said, :session_id, :jaccard, :cosine, :label, :confidence, :tier, :decision, :created_at)
ON CONFLICT (memory_id, said) DO UPDATE SET
    other_id = excluded.other_id, session_id = excluded.session_id, jaccard = excluded.jaccard, cosine = excluded.cosine,
    label = excluded.label, confidence = excluded.confidence, tier = excluded.tier, decision = excluded.decision,
    created_at = excluded.created_at;

-- name: trim
DELETE FROM near_misses WHERE near_miss_id <= (SELECT MAX(near_miss_id) FROM near_misses) - :keep;

-- name: recent: The latest comparisons with both wordings; `flag` and `reword` are what somebody should look at.
SELECT near_miss_id AS id, memory_id, memory.content AS known, other_id, said, near.session_id, jaccard, cosine, label,
    near.confidence, tier, decision, near.created_at
FROM near_misses AS near JOIN memories AS memory ON memory.id = near.memory_id
WHERE (:project_id IS NULL OR memory.project_id = :project_id) AND (:decision IS NULL OR decision = :decision)
ORDER BY near.created_at DESC, near_miss_id DESC LIMIT :limit;

-- name: mentioning
SELECT COUNT(*) AS found FROM near_misses WHERE said LIKE :pattern ESCAPE '\';

-- name: forget_memory
DELETE FROM near_misses WHERE memory_id = :memory_id OR other_id = :memory_id;

-- name: forget_session
DELETE FROM near_misses WHERE session_id = :session_id;

-- name: forget_words
DELETE FROM near_misses WHERE said LIKE :pattern ESCAPE '\';
