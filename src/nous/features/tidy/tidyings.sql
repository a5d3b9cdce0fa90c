-- name: put
INSERT INTO tidyings (learning_id, project_id, at, reader, groups, page, memories, version)
VALUES (:learning_id, :project_id, :at, :reader, :groups, :page, :memories, :version)
ON CONFLICT (learning_id) DO UPDATE SET project_id = excluded.project_id, at = excluded.at, reader = excluded.reader,
    groups = excluded.groups, page = excluded.page, memories = excluded.memories, version = excluded.version;

-- name: drop: A tidying was taken back or erased.
DELETE FROM tidyings WHERE learning_id = :learning_id;

-- name: clear: Empty the read model before it is built again.
DELETE FROM tidyings;

-- name: of_project
SELECT * FROM tidyings WHERE project_id = :project_id ORDER BY version DESC LIMIT 1;
