-- name: put: Store a packet; `version` is the last event it knows of.
INSERT INTO injection_cache (context_key, project_id, branch, packet_json, version, created_at)
VALUES (:context_key, :project_id, :branch, :packet_json, :version, :now)
ON CONFLICT (context_key) DO UPDATE SET
    packet_json = excluded.packet_json, version = excluded.version, created_at = excluded.created_at;

-- name: get: A packet as JSON.
SELECT packet_json FROM injection_cache WHERE context_key = :context_key;

-- name: of_project: Keys, branches and versions of a project's packets.
SELECT context_key, branch, version FROM injection_cache WHERE project_id = :project_id ORDER BY context_key;

-- name: drop: Remove one packet.
DELETE FROM injection_cache WHERE context_key = :context_key;

-- name: drop_project: Remove all packets of a project.
DELETE FROM injection_cache WHERE project_id = :project_id;

-- name: expire: Remove the packets of a project that were made before a moment.
DELETE FROM injection_cache WHERE project_id = :project_id AND created_at < :moment;

-- name: clear: Remove every packet.
DELETE FROM injection_cache;

-- name: see_project: Note that somebody works in a project.
INSERT INTO projects (project_id, root, branch, first_seen, last_seen)
VALUES (:project_id, :root, :branch, :now, :now)
ON CONFLICT (project_id) DO UPDATE SET
    root = excluded.root, branch = excluded.branch, last_seen = MAX(projects.last_seen, excluded.last_seen);

-- name: projects: All projects seen, the latest first.
SELECT project_id, root, branch, first_seen, last_seen FROM projects ORDER BY last_seen DESC, project_id;

-- name: root: The directory a project lives in; empty when it was never seen.
SELECT root FROM projects WHERE project_id = :project_id;

-- name: branches: The branches of a project with memories of their own that were learned last, up to a limit.
SELECT branch FROM memories
WHERE project_id = :project_id AND status = 'active' AND branch IS NOT NULL
GROUP BY branch ORDER BY MAX(id) DESC LIMIT :limit;
