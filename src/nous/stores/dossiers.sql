-- name: keep
INSERT INTO dossiers (project_id, name, event_id, made_at, text, memories)
VALUES (:project_id, :name, :event_id, :made_at, :text, :memories)
ON CONFLICT (project_id, name) DO UPDATE SET
    event_id = excluded.event_id, made_at = excluded.made_at, text = excluded.text, memories = excluded.memories;

-- name: get
SELECT project_id, name, event_id, made_at, text, memories FROM dossiers WHERE project_id = :project_id AND name = :name;

-- name: listing
SELECT project_id, name, event_id, made_at, text, memories FROM dossiers
WHERE (:project_id IS NULL OR project_id = :project_id) ORDER BY project_id, name;

-- name: drop
DELETE FROM dossiers WHERE project_id = :project_id AND name = :name;

-- name: forget @sqlite
DELETE FROM dossiers WHERE EXISTS (SELECT 1 FROM json_each(dossiers.memories) WHERE value = :memory_id);

-- name: forget @postgres
DELETE FROM dossiers WHERE EXISTS (
    SELECT 1 FROM json_array_elements_text(dossiers.memories::json) AS value WHERE value = :memory_id::text);
