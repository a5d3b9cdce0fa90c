-- name: put
INSERT INTO injection_cache (context_key, project_id, branch, packet_json, version, created_at)
VALUES (:context_key, :project_id, :branch, :packet_json, :version, :now)
ON CONFLICT (context_key) DO UPDATE SET
    packet_json = excluded.packet_json, version = excluded.version, created_at = excluded.created_at;

-- name: get
SELECT context_key, packet_json, version, created_at FROM injection_cache WHERE context_key = :context_key;

-- name: of_project
SELECT context_key, branch, version FROM injection_cache WHERE project_id = :project_id ORDER BY context_key;

-- name: drop
DELETE FROM injection_cache WHERE context_key = :context_key;

-- name: drop_project
DELETE FROM injection_cache WHERE project_id = :project_id;

-- name: expire
DELETE FROM injection_cache WHERE project_id = :project_id AND created_at < :moment;

-- name: clear
DELETE FROM injection_cache;

-- name: see_project
INSERT INTO projects (project_id, root, branch, first_seen, last_seen)
VALUES (:project_id, :root, :branch, :now, :now)
ON CONFLICT (project_id) DO UPDATE SET
    root = excluded.root, branch = excluded.branch, last_seen = MAX(projects.last_seen, excluded.last_seen);

-- name: projects
SELECT project_id, root, branch, first_seen, last_seen FROM projects ORDER BY last_seen DESC, project_id;

-- name: root
SELECT root FROM projects WHERE project_id = :project_id;

-- name: branches
-- The branches that a project's active memories belong to.
SELECT DISTINCT branch FROM memories
WHERE project_id = :project_id AND status = 'active' AND branch IS NOT NULL ORDER BY branch;
