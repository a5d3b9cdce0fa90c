-- name: recent
SELECT injection_id, session_id, project_id, hook, trigger, context_key, characters, latency_ms, created_at, acknowledged_at
FROM injections WHERE (:session_id IS NULL OR session_id = :session_id) AND (:project_id IS NULL OR project_id = :project_id)
    AND (:memory_id IS NULL OR injection_id IN (SELECT injection_id FROM injected_memories WHERE memory_id = :memory_id))
ORDER BY injection_id DESC LIMIT :limit;

-- name: latencies: How long the latest answers took that put something before the model: `hook` and `latency_ms`.
SELECT hook, latency_ms FROM injections WHERE :project_id IS NULL OR project_id = :project_id
ORDER BY injection_id DESC LIMIT :limit;

-- name: memories_of
SELECT injection_id, memory_id, referenced_at FROM injected_memories
WHERE injection_id IN (SELECT value FROM json_each(:ids)) ORDER BY injection_id, memory_id;

-- name: exchanges_of
-- The earlier exchanges that receipts speak of, with what each is about, as far as it is still known.
SELECT x.injection_id, x.uuid, x.referenced_at, f.session_id, e.at, e.label FROM injected_exchanges AS x
LEFT JOIN exchanges AS e ON e.uuid = x.uuid LEFT JOIN exchange_files AS f ON f.file_id = e.file_id
WHERE x.injection_id IN (SELECT value FROM json_each(:ids)) ORDER BY x.injection_id, x.uuid;

-- name: list_given: The memories that a session was given.
SELECT DISTINCT memory_id FROM injected_memories JOIN injections USING (injection_id) WHERE session_id = :session_id;

-- name: acknowledge @sqlite: The transcript shows that the client took these in; no memories: what was said without citing any.
UPDATE injections SET acknowledged_at = :at
WHERE session_id = :session_id AND acknowledged_at IS NULL AND (
    injection_id IN (SELECT injection_id FROM injected_memories WHERE memory_id IN (SELECT value FROM json_each(:memory_ids)))
    OR (:memory_ids = '[]' AND created_at <= :at
        AND NOT EXISTS (SELECT 1 FROM injected_memories AS m WHERE m.injection_id = injections.injection_id)));

-- name: acknowledge @postgres
UPDATE injections SET acknowledged_at = :at
WHERE session_id = :session_id AND acknowledged_at IS NULL AND (
    injection_id IN (SELECT injection_id FROM injected_memories WHERE memory_id = ANY (:memory_ids::bigint[]))
    OR (cardinality(:memory_ids::bigint[]) = 0 AND created_at <= :at
        AND NOT EXISTS (SELECT 1 FROM injected_memories AS m WHERE m.injection_id = injections.injection_id)));

-- name: reference: The assistant cited these.
UPDATE injected_memories SET referenced_at = :at
WHERE referenced_at IS NULL AND memory_id IN (SELECT value FROM json_each(:memory_ids))
    AND injection_id IN (SELECT injection_id FROM injections WHERE session_id = :session_id);

-- name: reference_exchanges @sqlite: The assistant cited these exchanges, each by the beginning of its name.
-- An exchange is cited by the beginning of its record's name.
UPDATE injected_exchanges SET referenced_at = :at
WHERE referenced_at IS NULL AND injection_id IN (SELECT injection_id FROM injections WHERE session_id = :session_id)
    AND EXISTS (SELECT 1 FROM json_each(:beginnings) WHERE uuid >= value AND uuid < value || char(1114111));

-- name: reference_exchanges @postgres
UPDATE injected_exchanges SET referenced_at = :at
WHERE referenced_at IS NULL AND injection_id IN (SELECT injection_id FROM injections WHERE session_id = :session_id)
    AND EXISTS (SELECT 1 FROM unnest(:beginnings::text[]) AS value WHERE starts_with(uuid, value));

-- name: effect
-- How often a memory was injected, seen in the transcript, and cited.
SELECT memory_id, COUNT(*) AS injected, COUNT(acknowledged_at) AS acknowledged, COUNT(referenced_at) AS referenced
FROM injected_memories JOIN injections USING (injection_id) WHERE memory_id = :memory_id GROUP BY memory_id;

-- name: of_session: What a session and its agents were given: `memory_id`, `injected_at`, `acknowledged_at`, `referenced_at`.
-- What a session and its subagents were given, each memory once: when first, whether seen, whether cited.
SELECT memory_id, MIN(created_at) AS injected_at, MIN(acknowledged_at) AS acknowledged_at, MIN(referenced_at) AS referenced_at
FROM injected_memories JOIN injections USING (injection_id)
WHERE session_id = :session_id OR (session_id > :session_id || '/' AND session_id < :session_id || '0')
GROUP BY memory_id ORDER BY memory_id;

-- name: forget: Drop what receipts say of a memory (erasure).
DELETE FROM injected_memories WHERE memory_id = :memory_id;
