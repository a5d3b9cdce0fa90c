-- name: get_reached: How far each device's events go.
SELECT device, MAX(device_seq) FROM sealed_events WHERE owner = :owner GROUP BY device;

-- name: hashes: The hash of each device's last event.
SELECT one.device, one.event_hash FROM sealed_events AS one JOIN (
    SELECT device, MAX(device_seq) AS last FROM sealed_events WHERE owner = :owner GROUP BY device) AS head
ON one.device = head.device AND one.device_seq = head.last WHERE one.owner = :owner;

-- name: _hash
SELECT event_hash, is_erased FROM sealed_events
WHERE owner = :owner AND device = :device AND device_seq = :seq;

-- name: keep
INSERT INTO sealed_events (
    owner, device, device_seq, event_uuid, transaction_time, prev_hash, event_hash, is_erased, sealed)
VALUES (
    :owner, :device, :device_seq, :event_uuid, :transaction_time, :prev_hash, :event_hash, :is_erased, :sealed);

-- name: erase
UPDATE sealed_events SET sealed = :sealed, is_erased = 1
WHERE owner = :owner AND device = :device AND device_seq = :device_seq AND event_hash = :event_hash AND is_erased = 0;

-- name: after
SELECT device, device_seq, event_uuid, transaction_time, prev_hash, event_hash, is_erased, sealed FROM sealed_events
WHERE owner = :owner AND device = :device AND device_seq > :after ORDER BY device_seq LIMIT :limit;

-- name: round
SELECT last_event, choice, swept FROM hub_rounds WHERE hub = :hub;

-- name: end_round
INSERT INTO hub_rounds (hub, last_event, choice, swept) VALUES (:hub, :last_event, :choice, :swept)
ON CONFLICT (hub) DO UPDATE SET
    last_event = excluded.last_event, choice = excluded.choice, swept = excluded.swept;
