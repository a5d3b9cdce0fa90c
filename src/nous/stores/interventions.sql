-- name: propose
INSERT INTO intervention_candidates (
    candidate_id, scope, target_session_id, target_project_id, reason_codes_json, confidence, priority, ttl_seconds,
    cooldown_seconds, payload_text, state, created_at, updated_at)
VALUES (
    :candidate_id, :scope, :target_session_id, :target_project_id, :reason_codes_json, :confidence, :priority,
    :ttl_seconds, :cooldown_seconds, :payload_text, :state, :now, :now)
ON CONFLICT (candidate_id) DO NOTHING;

-- name: candidates
SELECT candidate_id, scope, target_session_id, target_project_id, reason_codes_json, confidence, priority, ttl_seconds,
    cooldown_seconds, payload_text, state
FROM intervention_candidates WHERE state = :state ORDER BY priority DESC, confidence DESC, candidate_id;

-- name: decide
UPDATE intervention_candidates SET state = :state, updated_at = :now WHERE candidate_id = :candidate_id;

-- name: activate
INSERT INTO active_interventions (
    intervention_id, scope, target_session_id, target_project_id, payload_text, priority, expires_at, cooldown_until,
    dedupe_key, source_candidate_id, updated_at)
VALUES (
    :intervention_id, :scope, :target_session_id, :target_project_id, :payload_text, :priority, :expires_at,
    :cooldown_until, :dedupe_key, :source_candidate_id, :now)
ON CONFLICT (dedupe_key) DO UPDATE SET
    intervention_id = excluded.intervention_id, scope = excluded.scope, payload_text = excluded.payload_text,
    target_session_id = excluded.target_session_id, target_project_id = excluded.target_project_id,
    priority = excluded.priority, expires_at = excluded.expires_at, cooldown_until = excluded.cooldown_until,
    source_candidate_id = excluded.source_candidate_id, updated_at = excluded.updated_at;

-- name: active
SELECT intervention_id, scope, target_session_id, target_project_id, payload_text, priority, expires_at, cooldown_until,
    dedupe_key, source_candidate_id
FROM active_interventions
WHERE expires_at > :now AND (cooldown_until IS NULL OR cooldown_until <= :now)
    AND (scope = 'global' OR (scope = 'project' AND target_project_id = :project_id)
        OR (scope = 'session' AND target_session_id = :session_id))
ORDER BY priority DESC, intervention_id LIMIT :limit;

-- name: cool_down
UPDATE active_interventions SET cooldown_until = :until, updated_at = :now WHERE intervention_id = :intervention_id;

-- name: expire
DELETE FROM active_interventions WHERE expires_at <= :now;
