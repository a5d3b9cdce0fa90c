-- What travels between a server and the file that hooks read beside it.

-- name: packets
SELECT context_key, created_at, version FROM injection_cache;

-- name: whole_packets
SELECT context_key, project_id, branch, packet_json, version, created_at AS now FROM injection_cache
WHERE context_key IN (SELECT value FROM json_each(:keys));

-- name: contents
SELECT context_key, packet_json FROM injection_cache;

-- name: in_use
-- Of some memories those that may be told.
SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active' AND tainted = 0
    AND rest NOT LIKE '%"disputed":true%';

-- name: receipts
SELECT injection_id, session_id AS context, project_id, hook, trigger, context_key AS key, characters, latency_ms,
    created_at AS now
FROM injections WHERE injection_id > :after ORDER BY injection_id LIMIT :limit;

-- name: exchanges
SELECT uuid FROM injected_exchanges WHERE injection_id = :injection_id;

-- name: memories
SELECT memory_id FROM injected_memories WHERE injection_id = :injection_id;
