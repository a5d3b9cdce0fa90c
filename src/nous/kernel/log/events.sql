-- name: head
-- The newest event here.
SELECT event_id, arrived_at FROM learning_events ORDER BY event_id DESC LIMIT 1;

-- name: own_device
-- As which device this database writes: the newest of its own. A hub knows many, so it is not looked for among all.
SELECT device, COALESCE((SELECT MAX(device_seq) FROM learning_events WHERE device = devices.number), 0) AS wrote
FROM devices WHERE is_own = 1 ORDER BY number DESC LIMIT 1;

-- name: devices @sqlite
-- Every device that wrote something here, and how far each has come; of this one the log itself says so. Last of all the
-- newest event here, so that an append asks once.
SELECT known.number, known.device, known.is_own, COALESCE(last.device_seq, known.last_seq),
    COALESCE(last.event_hash, known.last_hash), COALESCE(last.transaction_time, known.last_time),
    newest.event_id, newest.arrived_at
FROM devices AS known
LEFT JOIN learning_events AS last ON known.is_own = 1 AND last.event_id = (
    SELECT event_id FROM learning_events WHERE device = known.number ORDER BY device_seq DESC LIMIT 1)
LEFT JOIN learning_events AS newest ON newest.event_id = (SELECT MAX(event_id) FROM learning_events)
ORDER BY known.number;

-- name: devices @postgres
-- The server would read the whole log for such a join, at every append.
SELECT known.number, known.device, known.is_own, COALESCE(last.device_seq, known.last_seq),
    COALESCE(last.event_hash, known.last_hash), COALESCE(last.transaction_time, known.last_time),
    newest.event_id, newest.arrived_at
FROM devices AS known
LEFT JOIN LATERAL (SELECT device_seq, event_hash, transaction_time FROM learning_events AS own
    WHERE known.is_own = 1 AND own.device = known.number ORDER BY device_seq DESC LIMIT 1) AS last ON true
LEFT JOIN (SELECT event_id, arrived_at FROM learning_events ORDER BY event_id DESC LIMIT 1) AS newest ON true
ORDER BY known.number;

-- name: first_device @postgres
-- Who writes for a tenant, from the first time somebody opens it.
INSERT INTO devices (number, device, is_own, last_seq, last_hash, last_time, made_at)
SELECT 1, :device, 1, 0, repeat('0', 64), '', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
WHERE NOT EXISTS (SELECT 1 FROM devices) ON CONFLICT (number) DO NOTHING;

-- name: add_device
INSERT INTO devices (number, device, is_own, last_seq, last_hash, last_time, made_at)
SELECT COALESCE(MAX(number), 0) + 1, :device, :is_own, 0, :last_hash, '', :made_at FROM devices
RETURNING number;

-- name: forget_devices: Let an empty log take over the devices of another one.
DELETE FROM devices WHERE NOT EXISTS (SELECT 1 FROM learning_events);

-- name: disown
UPDATE devices SET is_own = 0, last_seq = :last_seq, last_hash = :last_hash, last_time = :last_time
WHERE number = :number;

-- name: device_wrote
UPDATE devices SET last_seq = :last_seq, last_hash = :last_hash, last_time = :last_time WHERE number = :number;

-- name: link
-- An event that is here under another name also stands in this chain.
INSERT INTO chain_links (device, device_seq, event_uuid, prev_hash, event_hash, chain, cause_seq)
SELECT :device, :device_seq, :event_uuid, :prev_hash, :event_hash, :chain, :cause_seq
WHERE NOT EXISTS (SELECT 1 FROM learning_events WHERE device = :device AND device_seq = :device_seq);

-- name: vouch
-- One's own device wrote what came from a team first.
UPDATE learning_events SET absorbed = 1 WHERE event_uuid = :event_uuid AND absorbed > 1;

-- name: unlink
DELETE FROM chain_links WHERE device = :device;

-- name: publishing
-- The chains that this device makes for a hub, or for any, the last one last.
SELECT number, device FROM devices WHERE hub IS NOT NULL AND (:hub IS NULL OR hub = :hub) ORDER BY device;

-- name: publish_as
UPDATE devices SET hub = :hub WHERE device = :device;

-- name: unpublished
-- What was written here and stands in no chain for a hub yet, after an event and some at a time. What it says is not
-- needed to chain it, only whether it was erased.
SELECT one.event_uuid, one.stream, one.stream_id, devices.device, one.device_seq, one.event_type, one.idempotency_key,
    one.schema_version, one.transaction_time, one.valid_from, one.valid_until, one.vector_clock_json,
    COALESCE(cause.event_uuid, one.parent_uuid), one.session_id, one.project_id, one.source,
    CASE WHEN one.payload_json = :tombstone THEN one.payload_json ELSE '' END,
    one.payload_hash, one.prev_hash, one.event_hash, one.chain, cause.device_seq,
    one.event_id
FROM learning_events AS one JOIN devices ON devices.number = one.device
LEFT JOIN learning_events AS cause ON cause.event_id = one.parent_event_id
WHERE one.event_id > :after AND one.absorbed = 0 AND NOT EXISTS (
    SELECT 1 FROM chain_links AS link JOIN devices AS chain ON chain.number = link.device
    WHERE link.event_uuid = one.event_uuid AND chain.hub = :hub)
ORDER BY one.event_id LIMIT :limit;

-- name: streams_of
-- Those of some streams to which something happened that stands in the chain of one of some devices.
SELECT one.stream_id FROM learning_events AS one CROSS JOIN chain_links AS link ON link.event_uuid = one.event_uuid
CROSS JOIN devices ON devices.number = link.device
WHERE one.stream_id IN (SELECT value FROM json_each(:streams))
    AND devices.device IN (SELECT value FROM json_each(:devices))
UNION
SELECT one.stream_id FROM learning_events AS one JOIN devices ON devices.number = one.device
WHERE one.stream_id IN (SELECT value FROM json_each(:streams))
    AND devices.device IN (SELECT value FROM json_each(:devices));

-- name: homes
SELECT learning_id, project_id FROM memories WHERE learning_id IN (SELECT value FROM json_each(:ids));

-- name: note_project
INSERT INTO chain_projects (device, project_id) VALUES (:device, :project_id) ON CONFLICT (device, project_id) DO NOTHING;

-- name: chains_inside
-- The chains that tell of some projects and no other.
SELECT devices.device FROM chain_projects AS told JOIN devices ON devices.number = told.device GROUP BY devices.device
HAVING SUM(CASE WHEN told.project_id IN (SELECT value FROM json_each(:projects)) THEN 0 ELSE 1 END) = 0;

-- name: authors
SELECT device, author FROM devices WHERE device IN (SELECT value FROM json_each(:devices));

-- name: name_author
UPDATE devices SET author = :author WHERE device = :device AND COALESCE(author, '') != :author;

-- name: written_by
-- Who told of a memory first, where that is known; the earliest comes last.
SELECT one.stream_id, devices.author FROM learning_events AS one JOIN devices ON devices.number = one.device
WHERE one.stream_id IN (SELECT value FROM json_each(:ids)) AND one.event_type = 'LearningExtracted'
    AND devices.author IS NOT NULL
ORDER BY one.event_id DESC;

-- name: drop_waiting
DELETE FROM waiting_events;

-- name: known_keys
-- What this device has written, and what any device has introduced: those keys mean the same everywhere.
SELECT idempotency_key FROM learning_events WHERE idempotency_key IN (SELECT value FROM json_each(:keys))
    AND (device = :device OR event_type = 'LearningExtracted');

-- name: uuids
SELECT event_id, event_uuid FROM learning_events WHERE event_id IN (SELECT value FROM json_each(:ids));

-- name: numbers
SELECT event_uuid, event_id FROM learning_events WHERE event_uuid IN (SELECT value FROM json_each(:uuids));

-- name: contents
-- What events with some global ids are, by which a second one of the same id is told from another.
SELECT event_uuid, stream_id, event_type, transaction_time, payload_hash FROM learning_events
WHERE event_uuid IN (SELECT value FROM json_each(:uuids));

-- name: of_device
-- Events by their numbers on a device.
SELECT device_seq, event_id, stream_id FROM learning_events
WHERE device = :device AND device_seq IN (SELECT value FROM json_each(:numbers));

-- name: hash_of
SELECT event_hash FROM learning_events WHERE device = :device AND device_seq = :device_seq
UNION ALL
SELECT event_hash FROM chain_links WHERE device = :device AND device_seq = :device_seq
UNION ALL
SELECT event_hash FROM held_events WHERE device = :device AND device_seq = :device_seq;

-- name: append
INSERT INTO learning_events (
    event_id, event_uuid, stream, stream_id, device, device_seq, event_type, idempotency_key, schema_version,
    transaction_time, valid_from, valid_until, vector_clock_json, parent_event_id, parent_uuid, session_id, project_id,
    source, payload_json, payload_hash, prev_hash, event_hash, chain, arrived_at, absorbed)
VALUES (
    :event_id, :event_uuid, :stream, :stream_id, :device, :device_seq, :event_type, :idempotency_key, :schema_version,
    :transaction_time, :valid_from, :valid_until, :vector_clock_json, :parent_event_id, :parent_uuid, :session_id,
    :project_id, :source, :payload_json, :payload_hash, :prev_hash, :event_hash, :chain, :arrived_at, :absorbed);

-- name: find_causes
-- Events that named their cause before it was here, now that it is.
UPDATE learning_events SET parent_event_id = (
    SELECT cause.event_id FROM learning_events AS cause WHERE cause.event_uuid = learning_events.parent_uuid)
WHERE parent_uuid IN (SELECT value FROM json_each(:uuids)) AND parent_uuid IS NOT NULL AND parent_event_id IS NULL;

-- name: wait
INSERT INTO waiting_events (device, device_seq, event_json, arrived_at)
VALUES (:device, :device_seq, :event_json, :arrived_at) ON CONFLICT (device, device_seq) DO NOTHING;

-- name: waiting
-- What waits of some devices, or of all.
SELECT device, device_seq, event_json FROM waiting_events
WHERE :devices IS NULL OR device IN (SELECT value FROM json_each(:devices)) ORDER BY device, device_seq;

-- name: stop_waiting
DELETE FROM waiting_events WHERE device = :device AND device_seq <= :device_seq;

-- name: drop_waiting_at
DELETE FROM waiting_events WHERE device = :device AND device_seq = :device_seq;

-- name: waiting_size
SELECT COUNT(*) AS events, COALESCE(SUM(LENGTH(event_json)), 0) AS bytes, COUNT(DISTINCT device) AS devices,
    MIN(arrived_at) AS since FROM waiting_events;

-- name: hold
INSERT INTO held_events (device, device_seq, event_hash, stream_id, kind, reason, event_json, stamp, arrived_at)
VALUES (:device, :device_seq, :event_hash, :stream_id, :kind, :reason, :event_json, :stamp, :arrived_at)
ON CONFLICT (device, device_seq) DO UPDATE SET kind = excluded.kind, reason = excluded.reason,
    event_json = excluded.event_json, stamp = excluded.stamp;

-- name: held_of
SELECT event_json FROM held_events WHERE device = :device AND device_seq > :after ORDER BY device_seq;

-- name: held_later
-- What is kept for later and was not looked at under one of these stamps.
SELECT device, event_json FROM held_events
WHERE kind = 'later' AND stamp NOT IN (SELECT value FROM json_each(:stamps)) ORDER BY device, device_seq;

-- name: held_words
-- What is kept for later with its words: of some streams, or all of it.
SELECT device, event_json FROM held_events
WHERE kind = 'later' AND (:streams IS NULL OR stream_id IN (SELECT value FROM json_each(:streams)));

-- name: held_size
SELECT held_events.device, kind, COUNT(*) AS events, SUM(LENGTH(event_json)) AS bytes FROM held_events
GROUP BY held_events.device, kind;

-- name: held_reasons
SELECT held.kind, held.reason, devices.device, devices.author, COUNT(*) AS events, MAX(held.arrived_at) AS last_at
FROM held_events AS held JOIN devices ON devices.number = held.device
GROUP BY held.kind, held.reason, devices.device, devices.author ORDER BY held.kind DESC, last_at DESC, held.reason LIMIT :limit;

-- name: drop_held
DELETE FROM held_events WHERE device = :device AND (:device_seq IS NULL OR device_seq = :device_seq);

-- name: places
-- The projects to which streams belong here, and what they are: an observation is no memory.
SELECT learning_id, project_id, 'memory' FROM memories WHERE learning_id IN (SELECT value FROM json_each(:ids))
UNION
SELECT entity_id, project_id, 'entity' FROM mentions WHERE entity_id IN (SELECT value FROM json_each(:ids))
UNION
SELECT stream_id, project_id,
    CASE WHEN event_type IN ('SessionObserved', 'InterventionNoted') THEN 'observation' ELSE stream END
FROM learning_events WHERE stream_id IN (SELECT value FROM json_each(:ids))
    AND NOT EXISTS (SELECT 1 FROM memories WHERE memories.learning_id = stream_id);

-- name: named_alike
-- Whose the chains of the same devices are: their names begin alike.
SELECT DISTINCT substr(device, 1, 20), author FROM devices
WHERE author IS NOT NULL AND substr(device, 1, 20) IN (SELECT value FROM json_each(:beginnings));

-- name: erased_streams
-- Which of some streams were erased.
SELECT DISTINCT stream, stream_id FROM learning_events
WHERE stream_id IN (SELECT value FROM json_each(:ids)) AND event_type IN ('LearningErased', 'EntityErased');

-- name: replay
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events WHERE event_id > :after ORDER BY event_id LIMIT :limit;

-- name: of_learning
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events WHERE stream_id = :learning_id ORDER BY event_id;

-- name: by_id
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events WHERE event_id IN (SELECT value FROM json_each(:ids)) ORDER BY event_id;

-- name: caused_by
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events WHERE parent_event_id IN (SELECT value FROM json_each(:ids)) ORDER BY event_id;

-- name: between
-- Newest first, so that a limit keeps the latest.
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events
WHERE event_id > :after AND event_id <= :until AND (:project_id IS NULL OR project_id = :project_id)
ORDER BY event_id DESC LIMIT :limit;

-- name: by_hand
-- What people (and agents on their behalf) decided here, newest first.
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events
WHERE source = 'user_review' AND absorbed = 0 AND event_type != 'EventsUndone' AND event_id < :before
ORDER BY event_id DESC LIMIT :limit;

-- name: births @sqlite
-- The first event that introduced each learning. Its other columns are those of the row with the smallest number.
SELECT stream_id, MIN(event_id) AS event_id, payload_json = :tombstone AS erased FROM learning_events
WHERE stream_id IN (SELECT value FROM json_each(:ids)) AND event_type = 'LearningExtracted'
GROUP BY stream_id;

-- name: births @postgres
SELECT DISTINCT ON (stream_id) stream_id, event_id, payload_json = :tombstone AS erased FROM learning_events
WHERE stream_id IN (SELECT value FROM json_each(:ids)) AND event_type = 'LearningExtracted'
ORDER BY stream_id, event_id;

-- name: first_of @sqlite: The number of each learning's first event, whatever it was.
-- Answered by the index alone.
SELECT value, (SELECT MIN(event_id) FROM learning_events WHERE stream_id = value) FROM json_each(:learning_ids);

-- name: first_of @postgres
SELECT value, (SELECT MIN(event_id) FROM learning_events WHERE stream_id = value) FROM unnest(:learning_ids::text[]) AS value;

-- name: as_of
-- The last event that was known here at a moment. Arrival never falls, so a moment is an event number.
SELECT event_id FROM learning_events WHERE arrived_at <= :moment
ORDER BY arrived_at DESC, event_id DESC LIMIT 1;

-- name: before: The number of the last event that is older than a moment.
SELECT event_id FROM learning_events WHERE arrived_at < :moment
ORDER BY arrived_at DESC, event_id DESC LIMIT 1;

-- name: count: How many events the log holds.
SELECT COUNT(*) AS events FROM learning_events;

-- name: session_clock
SELECT vector_clock_json FROM learning_events
WHERE session_id = :session_id AND vector_clock_json IS NOT NULL ORDER BY event_id DESC LIMIT 1;

-- name: clocks_given
-- The clocks of memories that a session's receipts name, up to what was known when each was given.
-- A clock may come more than once: to group them costs more than all the rest where there are none, as mostly.
SELECT then_.vector_clock_json FROM injections
JOIN injected_memories ON injected_memories.injection_id = injections.injection_id
JOIN learning_events AS born ON born.event_id = injected_memories.memory_id
JOIN learning_events AS then_ ON then_.stream_id = born.stream_id AND then_.arrived_at <= injections.created_at
WHERE injections.session_id = :session_id AND then_.vector_clock_json IS NOT NULL ORDER BY then_.event_id;

-- name: last_of_sessions
SELECT session_id, MAX(event_id) AS event_id FROM learning_events
WHERE session_id IN (SELECT value FROM json_each(:ids)) GROUP BY session_id;

-- name: stored
-- Every event as it is on disk, and the number that its cause has on the device.
SELECT one.event_uuid, one.stream, one.stream_id, devices.device, one.device_seq, one.event_type, one.idempotency_key,
    one.schema_version, one.transaction_time, one.valid_from, one.valid_until, one.vector_clock_json,
    COALESCE(cause.event_uuid, one.parent_uuid), one.session_id, one.project_id, one.source, one.payload_json,
    one.payload_hash, one.prev_hash, one.event_hash, one.chain, cause.device_seq, '', one.event_id, one.parent_event_id, one.arrived_at,
    one.absorbed
FROM learning_events AS one LEFT JOIN devices ON devices.number = one.device
LEFT JOIN learning_events AS cause ON cause.event_id = one.parent_event_id
ORDER BY one.event_id;

-- name: written
-- What one device wrote after one of its numbers, as it goes to others: a cause is named by its global id.
SELECT one.event_uuid, one.stream, one.stream_id, devices.device, one.device_seq, one.event_type, one.idempotency_key,
    one.schema_version, one.transaction_time, one.valid_from, one.valid_until, one.vector_clock_json,
    COALESCE(cause.event_uuid, one.parent_uuid), one.session_id, one.project_id, one.source, one.payload_json,
    one.payload_hash, one.prev_hash, one.event_hash, one.chain, cause.device_seq,
    CASE one.absorbed WHEN 2 THEN 'member' WHEN 3 THEN 'steward' ELSE '' END, one.event_id
FROM learning_events AS one JOIN devices ON devices.number = one.device
LEFT JOIN learning_events AS cause ON cause.event_id = one.parent_event_id
WHERE one.device = :number AND one.device_seq > :after
UNION ALL
SELECT one.event_uuid, one.stream, one.stream_id, devices.device, link.device_seq, one.event_type, one.idempotency_key,
    one.schema_version, one.transaction_time, one.valid_from, one.valid_until, one.vector_clock_json,
    COALESCE(cause.event_uuid, one.parent_uuid), one.session_id, one.project_id, one.source, one.payload_json,
    one.payload_hash, link.prev_hash, link.event_hash, link.chain, link.cause_seq,
    CASE one.absorbed WHEN 2 THEN 'member' WHEN 3 THEN 'steward' ELSE '' END, one.event_id
FROM chain_links AS link JOIN devices ON devices.number = link.device
JOIN learning_events AS one ON one.event_uuid = link.event_uuid
LEFT JOIN learning_events AS cause ON cause.event_id = one.parent_event_id
WHERE link.device = :number AND link.device_seq > :after
ORDER BY 5;

-- name: number_of_hash: The number of the event with a hash.
-- An event that is held has no number.
SELECT event_id FROM learning_events WHERE event_hash = :event_hash
UNION ALL
SELECT one.event_id FROM chain_links AS link JOIN learning_events AS one ON one.event_uuid = link.event_uuid
WHERE link.event_hash = :event_hash
UNION ALL
SELECT 0 FROM held_events WHERE event_hash = :event_hash LIMIT 1;

-- name: highest_id @sqlite
-- AUTOINCREMENT remembers the highest number, so events cut off at the end are missed.
SELECT seq AS event_id FROM sqlite_sequence WHERE name = 'learning_events';

-- name: highest_id @postgres
SELECT GREATEST(MAX(event_id), (SELECT event_id FROM log_heights)) AS event_id FROM learning_events;

-- name: payloads
SELECT event_id, stream_id, payload_json FROM learning_events
WHERE stream_id IN (SELECT value FROM json_each(:ids)) AND payload_json != :tombstone
    AND event_type NOT IN ('LearningErased', 'EntityErased')
ORDER BY event_id;

-- name: mentioning
SELECT DISTINCT stream_id FROM learning_events WHERE stream = 'memory' AND payload_json LIKE :text ESCAPE '\' ORDER BY stream_id;

-- name: of_session: Learnings that a session introduced.
SELECT DISTINCT stream_id FROM learning_events
WHERE session_id = :session_id AND event_type IN ('LearningExtracted', 'SessionObserved', 'SessionRead', 'BriefWritten')
ORDER BY stream_id;

-- name: with_key: The learning that the event under an idempotency key is about.
SELECT stream_id FROM learning_events WHERE idempotency_key = :key;

-- name: of_project: Learnings of a project.
SELECT DISTINCT stream_id FROM learning_events
WHERE project_id = :project_id AND event_type IN ('LearningExtracted', 'SessionObserved', 'SessionRead', 'BriefWritten',
    'BriefLineKept', 'BriefLineEdited', 'BriefLineDropped', 'BriefLinePinned', 'BriefLinePlaced', 'ProjectTidied')
ORDER BY stream_id;

-- name: of_entities
-- What people decided about names: few, and in an index of their own.
SELECT event_id, event_uuid, stream_id, event_type, idempotency_key, schema_version, transaction_time, valid_from,
    valid_until, vector_clock_json, parent_event_id, session_id, project_id, source, payload_json, stream, device,
    device_seq, absorbed
FROM learning_events WHERE stream = 'entity' AND event_id <= :until ORDER BY event_id;

-- name: with_payload
-- Which events of some streams still have their payload; an erasure keeps its own.
SELECT event_id, stream, stream_id FROM learning_events WHERE stream_id IN (SELECT value FROM json_each(:ids))
    AND payload_json != :tombstone AND event_type NOT IN ('LearningErased', 'EntityErased') ORDER BY event_id;

-- name: present @sqlite
-- Which events are here with their payload: by global id, or by device and number there.
SELECT event_id FROM learning_events
WHERE event_uuid IN (SELECT value FROM json_each(:uuids)) AND payload_json != :tombstone
UNION
SELECT event_id FROM json_each(:numbered) AS asked
JOIN devices ON devices.device = asked.value ->> 0
JOIN learning_events ON learning_events.device = devices.number AND device_seq = asked.value ->> 1
WHERE payload_json != :tombstone
ORDER BY event_id;

-- name: present @postgres
SELECT event_id FROM learning_events
WHERE event_uuid IN (SELECT value FROM json_each(:uuids)) AND payload_json != :tombstone
UNION
SELECT event_id FROM json_array_elements(:numbered::json) AS asked
JOIN devices ON devices.device = asked ->> 0
JOIN learning_events ON learning_events.device = devices.number AND device_seq = (asked ->> 1)::bigint
WHERE payload_json != :tombstone
ORDER BY event_id;

-- name: erased
SELECT event_id, event_uuid FROM learning_events WHERE payload_json = :tombstone ORDER BY event_id;

-- name: erase
UPDATE learning_events SET payload_json = :tombstone WHERE event_id = :event_id;
