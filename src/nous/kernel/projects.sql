-- name: aliases: Every other name, by project.
SELECT alias, project_id, kind, created_at FROM project_aliases ORDER BY project_id, alias;

-- name: meaning: The project a name stands for.
SELECT project_id FROM project_aliases WHERE alias = :alias;

-- name: add_alias
INSERT INTO project_aliases (alias, project_id, kind, created_at) VALUES (:alias, :project_id, :kind, :now)
ON CONFLICT (alias) DO UPDATE SET project_id = excluded.project_id, kind = excluded.kind;

-- name: follow_aliases
-- Names of a project that got another name itself.
UPDATE project_aliases SET project_id = :into WHERE project_id = :project_id;

-- name: forget: A name no longer stands for anything.
DELETE FROM project_aliases WHERE alias = :alias;

-- name: get: A project that was seen before.
SELECT project_id, root, branch, first_seen, last_seen FROM projects WHERE project_id = :project_id;

-- name: drop_project
DELETE FROM projects WHERE project_id = :project_id;
