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

-- name: resting @sqlite
-- An active one rests until it expires; a candidate of the same observer about the same thing for its cooldown.
SELECT expires_at AS until FROM active_interventions WHERE dedupe_key = :dedupe_key
UNION ALL
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', MAX(updated_at), '+' || :cooldown || ' seconds') FROM intervention_candidates
WHERE json_extract(reason_codes_json, '$[1]') = :subject AND state IN ('suppressed', 'delivered', 'approved');

-- name: resting @postgres
SELECT expires_at AS until FROM active_interventions WHERE dedupe_key = :dedupe_key
UNION ALL
SELECT to_char(MAX(updated_at)::timestamptz AT TIME ZONE 'UTC' + make_interval(secs => :cooldown),
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM intervention_candidates
WHERE reason_codes_json::json ->> 1 = :subject AND state IN ('suppressed', 'delivered', 'approved');

-- name: undelivered @sqlite
SELECT d.intervention_id, d.session_id, d.project_id, d.payload_text, d.delivered_at,
    json_extract(c.reason_codes_json, '$[0]') AS observer
FROM delivered_interventions AS d LEFT JOIN intervention_candidates AS c ON c.candidate_id = d.intervention_id
WHERE NOT EXISTS (SELECT 1 FROM learning_events AS e
    WHERE e.idempotency_key = 'intervention:' || d.intervention_id || ':delivered:' || d.session_id);

-- name: undelivered @postgres
SELECT d.intervention_id, d.session_id, d.project_id, d.payload_text, d.delivered_at,
    c.reason_codes_json::json ->> 0 AS observer
FROM delivered_interventions AS d LEFT JOIN intervention_candidates AS c ON c.candidate_id = d.intervention_id
WHERE NOT EXISTS (SELECT 1 FROM learning_events AS e
    WHERE e.idempotency_key = 'intervention:' || d.intervention_id || ':delivered:' || d.session_id);

-- name: unsettled @sqlite
SELECT d.intervention_id, d.session_id, d.project_id, d.payload_text, o.corrections,
    json_extract(c.reason_codes_json, '$[0]') AS observer
FROM delivered_interventions AS d JOIN observed AS o ON o.session_id = d.session_id
LEFT JOIN intervention_candidates AS c ON c.candidate_id = d.intervention_id
WHERE d.outcome IS NULL;

-- name: unsettled @postgres
SELECT d.intervention_id, d.session_id, d.project_id, d.payload_text, o.corrections,
    c.reason_codes_json::json ->> 0 AS observer
FROM delivered_interventions AS d JOIN observed AS o ON o.session_id = d.session_id
LEFT JOIN intervention_candidates AS c ON c.candidate_id = d.intervention_id
WHERE d.outcome IS NULL;

-- name: settle
UPDATE delivered_interventions SET outcome = :outcome, settled_at = :now
WHERE intervention_id = :intervention_id AND session_id = :session_id;

-- name: told
SELECT intervention_id, session_id, project_id, payload_text, delivered_at, outcome FROM delivered_interventions
WHERE :project_id IS NULL OR project_id = :project_id ORDER BY delivered_at DESC, intervention_id LIMIT 200;
