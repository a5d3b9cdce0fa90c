-- name: head
-- The newest event: its number, time and hash.
SELECT event_id, transaction_time, event_hash FROM learning_events ORDER BY event_id DESC LIMIT 1;

-- name: known_keys @sqlite
SELECT idempotency_key, event_id FROM learning_events
WHERE idempotency_key IN (SELECT value FROM json_each(:keys));

-- name: append
INSERT INTO learning_events (
    event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, payload_json, parent_event_id, session_id, project_id, source,
    payload_hash, prev_hash, event_hash)
VALUES (
    :event_id, :event_uuid, :learning_id, :event_type, :idempotency_key, :schema_version, :transaction_time,
    :valid_from, :valid_until, :vector_clock_json, :payload_json, :parent_event_id, :session_id, :project_id, :source,
    :payload_hash, :prev_hash, :event_hash);

-- name: replay
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, payload_json, parent_event_id, session_id, project_id, source
FROM learning_events WHERE event_id > :after ORDER BY event_id LIMIT :limit;

-- name: of_learning
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, payload_json, parent_event_id, session_id, project_id, source
FROM learning_events WHERE learning_id = :learning_id ORDER BY event_id;

-- name: get
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, payload_json, parent_event_id, session_id, project_id, source
FROM learning_events WHERE event_id = :event_id;

-- name: as_of
-- The last event that was known at a moment. Transaction times never fall, so a moment is an event number.
SELECT MAX(event_id) AS event_id FROM learning_events WHERE transaction_time <= :moment;

-- name: count
SELECT COUNT(*) AS events FROM learning_events;

-- name: session_clock
SELECT vector_clock_json FROM learning_events
WHERE session_id = :session_id AND vector_clock_json IS NOT NULL ORDER BY event_id DESC LIMIT 1;
