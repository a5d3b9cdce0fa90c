-- What a hook asks and writes. Read by `nous.hookstore` as it stands here: a hook without a daemon loads no store.

-- name: packet
SELECT context_key, packet_json FROM injection_cache WHERE context_key = :key;

-- name: seen
-- The memories that a context was given since it was last summarised.
SELECT memory_id FROM injected_memories JOIN injections USING (injection_id)
WHERE session_id = :context AND injection_id >= COALESCE(
    (SELECT MAX(injection_id) FROM injections WHERE session_id = :context AND trigger = 'compact'), 0);

-- name: known_then
SELECT COALESCE(MAX(event_id), 0) FROM learning_events WHERE arrived_at <= :moment;

-- name: was_prompted
SELECT 1 FROM injections WHERE session_id = :context AND hook = 'UserPromptSubmit' LIMIT 1;

-- name: was_said
SELECT 1 FROM injections WHERE session_id = :context AND context_key = :key AND injection_id >= COALESCE(
    (SELECT MAX(injection_id) FROM injections WHERE session_id = :context AND trigger = 'compact'), 0) LIMIT 1;

-- name: receipt
INSERT INTO injections (session_id, project_id, hook, trigger, context_key, characters, latency_ms, created_at)
VALUES (:context, :project_id, :hook, :trigger, :key, :characters, :latency_ms, :now) RETURNING injection_id;

-- name: receipt_memory
INSERT INTO injected_memories (injection_id, memory_id) VALUES (:injection_id, :memory_id);

-- name: receipt_exchange
INSERT INTO injected_exchanges (injection_id, uuid) VALUES (:injection_id, :uuid);

-- name: told
-- The earlier exchanges that a context was told of, from its beginning on.
SELECT uuid FROM injected_exchanges JOIN injections USING (injection_id) WHERE session_id = :context;

-- name: interventions
-- What may be said to a session now, the weightiest first; nothing that it was told before.
SELECT intervention_id, payload_text FROM active_interventions AS a
WHERE expires_at > :now AND (cooldown_until IS NULL OR cooldown_until <= :now)
    AND (scope = 'global' OR (scope = 'project' AND target_project_id = :project_id)
        OR (scope = 'session' AND target_session_id = :session_id))
    AND NOT EXISTS (SELECT 1 FROM delivered_interventions AS d
        WHERE d.intervention_id = a.intervention_id AND d.session_id = :session_id)
ORDER BY priority DESC, intervention_id LIMIT :limit;

-- name: deliver
INSERT INTO delivered_interventions (intervention_id, session_id, project_id, injection_id, payload_text, delivered_at)
SELECT intervention_id, :context, :project_id, :injection_id, payload_text, :now FROM active_interventions
WHERE intervention_id = :intervention_id ON CONFLICT DO NOTHING;

-- name: cool_down @sqlite
UPDATE active_interventions SET cooldown_until = strftime('%Y-%m-%dT%H:%M:%fZ', :now, '+' || COALESCE((
    SELECT cooldown_seconds FROM intervention_candidates WHERE candidate_id = source_candidate_id), 86400) || ' seconds')
WHERE intervention_id = :intervention_id;

-- name: experiment
SELECT percent FROM experiments WHERE ended_at IS NULL ORDER BY started_at DESC LIMIT 1;

-- name: take_part
INSERT INTO experiment_sessions (session_id, project_id, is_held_out, created_at)
VALUES (:session_id, :project_id, :is_held_out, :now) ON CONFLICT DO NOTHING;
