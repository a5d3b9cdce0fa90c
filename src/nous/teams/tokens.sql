-- name: add
INSERT INTO access_tokens (token_id, name, token_hash, rights, projects, created_at, expires_at)
VALUES (:token_id, :name, :token_hash, :rights, :projects, :created_at, :expires_at);

-- name: get
SELECT token_id, name, token_hash, rights, projects, created_at, expires_at, revoked_at
FROM access_tokens WHERE token_id = :token_id;

-- name: listing
SELECT token_id, name, token_hash, rights, projects, created_at, expires_at, revoked_at,
    (SELECT MAX(last_at) FROM audit_log WHERE audit_log.token_id = access_tokens.token_id) AS used_at
FROM access_tokens ORDER BY created_at, token_id;

-- name: revoke: End a token; False when it had been revoked before.
UPDATE access_tokens SET revoked_at = :now WHERE token_id = :token_id AND revoked_at IS NULL;

-- name: note
INSERT INTO audit_log (day, token_id, name, project_id, route, times, first_at, last_at)
VALUES (:day, :token_id, :name, :project_id, :route, :times, :first_at, :last_at)
ON CONFLICT (day, token_id, project_id, route) DO UPDATE SET
    times = audit_log.times + excluded.times, last_at = excluded.last_at;

-- name: uses
SELECT day, token_id, name, project_id, route, times, first_at, last_at FROM audit_log
WHERE (:project_id IS NULL OR project_id = :project_id) AND day >= :since
ORDER BY last_at DESC, token_id, route LIMIT :limit;

-- name: drop_project: Forget who asked about a project.
DELETE FROM audit_log WHERE project_id = :project_id;
