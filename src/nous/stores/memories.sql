-- name: upsert
INSERT INTO memories (
    id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest)
VALUES (
    :id, :learning_id, :project_id, :scope, :type, :status, :content, :strength, :confidence, :valid_from, :valid_until,
    :created_at, :session_id, :branch, :slot, :ref, :pinned, :tainted, :version, :rest)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, content = excluded.content, strength = excluded.strength, scope = excluded.scope,
    confidence = excluded.confidence, valid_from = excluded.valid_from, valid_until = excluded.valid_until,
    type = excluded.type, branch = excluded.branch, slot = excluded.slot, ref = excluded.ref, pinned = excluded.pinned,
    tainted = excluded.tainted, version = excluded.version, rest = excluded.rest;

-- name: keep_history
INSERT INTO memory_history (
    id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest, until_version)
VALUES (
    :id, :learning_id, :project_id, :scope, :type, :status, :content, :strength, :confidence, :valid_from, :valid_until,
    :created_at, :session_id, :branch, :slot, :ref, :pinned, :tainted, :version, :rest, :until_version);

-- name: forget_history
DELETE FROM memory_history WHERE id = :id;

-- name: by_learning @sqlite
SELECT * FROM memories WHERE learning_id IN (SELECT value FROM json_each(:ids));

-- name: by_id @sqlite
SELECT * FROM memories WHERE id IN (SELECT value FROM json_each(:ids));

-- name: by_id_as_of @sqlite
-- What these memories were after a certain event.
SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
FROM memories WHERE id IN (SELECT value FROM json_each(:ids)) AND version <= :event_id
UNION ALL
SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
    created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
FROM memory_history
WHERE id IN (SELECT value FROM json_each(:ids)) AND version <= :event_id AND until_version > :event_id;

-- name: by_ref
SELECT * FROM memories WHERE ref = :ref AND project_id = :project_id AND status = 'active' ORDER BY id DESC;

-- name: in_slot
SELECT * FROM memories WHERE slot = :slot AND status = 'active' AND (project_id = :project_id OR scope = 'global');

-- name: visible
-- Active memories that a project may see: its own, and global ones.
SELECT * FROM memories WHERE status = 'active' AND project_id = :project_id
UNION
SELECT * FROM memories WHERE status = 'active' AND scope = 'global'
ORDER BY id DESC LIMIT :limit;

-- name: listing
SELECT * FROM memories
WHERE (:project_id IS NULL OR project_id = :project_id OR (scope = 'global' AND :with_global))
    AND (:type IS NULL OR type = :type)
    AND (:status IS NULL OR status = :status)
    AND (:after IS NULL OR created_at >= :after)
    AND (:before IS NULL OR created_at < :before)
    AND status != 'erased'
ORDER BY id DESC LIMIT :limit;

-- name: listing_as_of
SELECT * FROM (
    SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
        created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
    FROM memories WHERE version <= :event_id
    UNION ALL
    SELECT id, learning_id, project_id, scope, type, status, content, strength, confidence, valid_from, valid_until,
        created_at, session_id, branch, slot, ref, pinned, tainted, version, rest
    FROM memory_history WHERE version <= :event_id AND until_version > :event_id
) AS then_
WHERE (:project_id IS NULL OR project_id = :project_id OR (scope = 'global' AND :with_global))
    AND (:type IS NULL OR type = :type)
    AND (:status IS NULL OR status = :status)
    AND (:after IS NULL OR created_at >= :after)
    AND (:before IS NULL OR created_at < :before)
    AND status != 'erased'
ORDER BY id DESC LIMIT :limit;

-- name: counts
SELECT project_id, type, status, COUNT(*) AS memories FROM memories
WHERE :project_id IS NULL OR project_id = :project_id
GROUP BY project_id, type, status;

-- name: add_text @sqlite
INSERT INTO memories_fts (rowid, content, terms, concepts, context)
VALUES (:id, :content, :terms, :concepts, :context);

-- name: drop_text @sqlite
DELETE FROM memories_fts WHERE rowid = :id;

-- name: search_text @sqlite
-- Best matches first (bm25 is smaller for a better match).
SELECT rowid AS id, bm25(memories_fts, 1.0, 0.8, 0.6, 0.4) AS score FROM memories_fts
WHERE memories_fts MATCH :query ORDER BY score LIMIT :limit;

-- name: add_concept
INSERT INTO concepts (memory_id, concept, version) VALUES (:memory_id, :concept, :version)
ON CONFLICT (memory_id, concept) DO NOTHING;

-- name: drop_concepts
DELETE FROM concepts WHERE memory_id = :memory_id;

-- name: add_stats
INSERT INTO event_stats (project_id, event_type, events, last_event_id, last_time)
VALUES (:project_id, :event_type, :events, :last_event_id, :last_time)
ON CONFLICT (project_id, event_type) DO UPDATE SET
    events = event_stats.events + excluded.events, last_event_id = excluded.last_event_id, last_time = excluded.last_time;

-- name: checkpoint
SELECT last_event_id FROM projection_checkpoints WHERE projector_name = :name;

-- name: set_checkpoint
INSERT INTO projection_checkpoints (projector_name, last_event_id, updated_at) VALUES (:name, :last_event_id, :now)
ON CONFLICT (projector_name) DO UPDATE SET last_event_id = excluded.last_event_id, updated_at = excluded.updated_at;

-- name: clear_memories
DELETE FROM memories;

-- name: clear_history
DELETE FROM memory_history;

-- name: clear_concepts
DELETE FROM concepts;

-- name: clear_text @sqlite
DELETE FROM memories_fts;

-- name: clear_stats
DELETE FROM event_stats;
