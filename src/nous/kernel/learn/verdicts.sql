-- name: get_reached: The last version of a memory that was looked at with a model.
SELECT last_version FROM reconciled WHERE model_version = :model;

-- name: set_reached: Say how far reconciliation has come; in the same transaction as what it wrote.
INSERT INTO reconciled (model_version, last_version, updated_at) VALUES (:model, :version, :now)
ON CONFLICT (model_version) DO UPDATE SET last_version = excluded.last_version, updated_at = excluded.updated_at;

-- name: list_changed
-- Active memories that changed after a version, in the order of their change.
SELECT id, version, project_id FROM memories
WHERE version > :after AND status = 'active' ORDER BY version LIMIT :limit;
