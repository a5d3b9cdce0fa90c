-- What a hook asks and writes. Read by `nous.kernel.hooks.hookstore` as it stands here: a hook without a daemon loads no store.

-- name: packet
SELECT context_key, packet_json FROM injection_cache WHERE context_key = :key;

-- name: in_use
-- Of some memories those that may be told.
SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active' AND tainted = 0
    AND rest NOT LIKE '%"disputed":true%';

-- name: has_log
-- The file beside a server has no log and no memories: there packets come down when something changes.
SELECT 1 FROM learning_events LIMIT 1;

-- name: seen
-- The memories that a context was given since it was last summarised.
SELECT memory_id FROM injected_memories JOIN injections USING (injection_id)
WHERE session_id = :context AND injection_id >= COALESCE(
    (SELECT MAX(injection_id) FROM injections WHERE session_id = :context AND trigger = 'compact'), 0);

-- name: known_then
SELECT COALESCE(MAX(event_id), 0) FROM learning_events WHERE arrived_at <= :moment;

-- name: last_injected_at
SELECT MAX(created_at) FROM injections WHERE session_id = :context;

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
