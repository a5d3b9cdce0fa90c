-- name: head
-- The newest event: its number, time and hash.
SELECT event_id, transaction_time, event_hash FROM learning_events ORDER BY event_id DESC LIMIT 1;

-- name: known_keys @sqlite
SELECT idempotency_key FROM learning_events WHERE idempotency_key IN (SELECT value FROM json_each(:keys));

-- name: append
INSERT INTO learning_events (
    event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source,
    payload_json, payload_hash, prev_hash, event_hash)
VALUES (
    :event_id, :event_uuid, :learning_id, :event_type, :idempotency_key, :schema_version, :transaction_time,
    :valid_from, :valid_until, :vector_clock_json, :parent_event_id, :session_id, :project_id, :source,
    :payload_json, :payload_hash, :prev_hash, :event_hash);

-- name: replay
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json
FROM learning_events WHERE event_id > :after ORDER BY event_id LIMIT :limit;

-- name: of_learning
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json
FROM learning_events WHERE learning_id = :learning_id ORDER BY event_id;

-- name: by_id @sqlite
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json
FROM learning_events WHERE event_id IN (SELECT value FROM json_each(:ids)) ORDER BY event_id;

-- name: caused_by @sqlite
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json
FROM learning_events WHERE parent_event_id IN (SELECT value FROM json_each(:ids)) ORDER BY event_id;

-- name: between
-- Newest first, so that a limit keeps the latest.
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json
FROM learning_events
WHERE event_id > :after AND event_id <= :until AND (:project_id IS NULL OR project_id = :project_id)
ORDER BY event_id DESC LIMIT :limit;

-- name: by_hand
-- What people (and agents on their behalf) decided, newest first.
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json
FROM learning_events
WHERE source = 'user_review' AND event_type != 'EventsUndone' AND event_id < :before
ORDER BY event_id DESC LIMIT :limit;

-- name: births @sqlite
-- The first event that introduced each learning. Its other columns are those of the row with the smallest number.
SELECT learning_id, MIN(event_id) AS event_id, payload_json = :tombstone AS erased FROM learning_events
WHERE learning_id IN (SELECT value FROM json_each(:ids)) AND event_type = 'LearningExtracted'
GROUP BY learning_id;

-- name: first_of @sqlite
-- Answered by the index alone.
SELECT value, (SELECT MIN(event_id) FROM learning_events WHERE learning_id = value) FROM json_each(:ids);

-- name: as_of
-- The last event that was known at a moment. Transaction times never fall, so a moment is an event number.
SELECT event_id FROM learning_events WHERE transaction_time <= :moment
ORDER BY transaction_time DESC, event_id DESC LIMIT 1;

-- name: before
SELECT event_id FROM learning_events WHERE transaction_time < :moment
ORDER BY transaction_time DESC, event_id DESC LIMIT 1;

-- name: count
SELECT COUNT(*) AS events FROM learning_events;

-- name: session_clock
SELECT vector_clock_json FROM learning_events
WHERE session_id = :session_id AND vector_clock_json IS NOT NULL ORDER BY event_id DESC LIMIT 1;

-- name: clocks_of @sqlite
-- The clocks of every event of the learnings that these events introduced.
SELECT vector_clock_json FROM learning_events
WHERE learning_id IN (
        SELECT learning_id FROM learning_events WHERE event_id IN (SELECT value FROM json_each(:ids)))
    AND vector_clock_json IS NOT NULL AND (:event_id IS NULL OR event_id <= :event_id)
ORDER BY event_id;

-- name: clocks_given
-- The clocks of memories that a session's receipts name, up to what was known when each was given.
SELECT then_.vector_clock_json FROM injections
JOIN injected_memories ON injected_memories.injection_id = injections.injection_id
JOIN learning_events AS born ON born.event_id = injected_memories.memory_id
JOIN learning_events AS then_ ON then_.learning_id = born.learning_id AND then_.transaction_time <= injections.created_at
WHERE injections.session_id = :session_id AND then_.vector_clock_json IS NOT NULL
GROUP BY then_.vector_clock_json ORDER BY MIN(then_.event_id);

-- name: last_of_sessions @sqlite
SELECT session_id, MAX(event_id) AS event_id FROM learning_events
WHERE session_id IN (SELECT value FROM json_each(:ids)) GROUP BY session_id;

-- name: stored
SELECT event_id, event_uuid, learning_id, event_type, idempotency_key, schema_version, transaction_time,
    valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source,
    payload_json, payload_hash, prev_hash, event_hash
FROM learning_events ORDER BY event_id;

-- name: by_hash
SELECT event_id FROM learning_events WHERE event_hash = :event_hash LIMIT 1;

-- name: highest_id @sqlite
-- AUTOINCREMENT remembers the highest number, so events cut off at the end are missed.
SELECT seq AS event_id FROM sqlite_sequence WHERE name = 'learning_events';

-- name: payloads @sqlite
SELECT event_id, learning_id, payload_json FROM learning_events
WHERE learning_id IN (SELECT value FROM json_each(:ids)) AND payload_json != :tombstone
    AND event_type != 'LearningErased'
ORDER BY event_id;

-- name: mentioning @sqlite
SELECT DISTINCT learning_id FROM learning_events WHERE payload_json LIKE :text ESCAPE '\' ORDER BY learning_id;

-- name: of_session
SELECT DISTINCT learning_id FROM learning_events
WHERE session_id = :session_id AND event_type = 'LearningExtracted' ORDER BY learning_id;

-- name: of_project
SELECT DISTINCT learning_id FROM learning_events
WHERE project_id = :project_id AND event_type = 'LearningExtracted' ORDER BY learning_id;

-- name: erased
SELECT event_id, event_uuid FROM learning_events WHERE payload_json = :tombstone ORDER BY event_id;

-- name: erase
UPDATE learning_events SET payload_json = :tombstone WHERE event_id = :event_id;
