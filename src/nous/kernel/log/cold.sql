-- name: segments: Every segment, those that were brought back too.
SELECT segment_id, archive_path, tier, min_event_id, max_event_id, event_count, stream_checksum_sha256, compressed_bytes,
    created_at, restored_at
FROM archive_segments ORDER BY segment_id;

-- name: due
-- How many events have their payload here and came before a moment, by year.
SELECT substr(arrived_at, 1, 4) AS year, COUNT(*) FROM learning_events
WHERE arrived_at < :before AND payload_json != :tombstone AND payload_json NOT LIKE '@%'
GROUP BY year ORDER BY year;

-- name: take
SELECT * FROM learning_events
WHERE arrived_at < :before AND substr(arrived_at, 1, 4) = :year AND payload_json != :tombstone
    AND payload_json NOT LIKE '@%'
ORDER BY event_id LIMIT :limit;

-- name: add
INSERT INTO archive_segments (archive_path, tier, min_event_id, max_event_id, event_count, stream_checksum_sha256,
    compressed_bytes, created_at)
VALUES (:archive_path, 'cold', :min_event_id, :max_event_id, :event_count, :stream_checksum_sha256, :compressed_bytes,
    :created_at)
RETURNING segment_id;

-- name: leave
-- One payload in the place of another, if that one is still there.
UPDATE learning_events SET payload_json = :mark WHERE event_id = :event_id AND payload_json = :payload;

-- name: restored
UPDATE archive_segments SET restored_at = :now WHERE segment_id = :segment_id;

-- name: rewritten
UPDATE archive_segments SET event_count = :event_count, stream_checksum_sha256 = :stream_checksum_sha256,
    compressed_bytes = :compressed_bytes
WHERE segment_id = :segment_id;

-- name: erased
SELECT event_id FROM learning_events WHERE payload_json = :tombstone;

-- name: schema @sqlite
SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'learning_events';

-- name: schema @postgres
-- As SQLite spells it: archives are files of SQLite, whatever engine holds the log.
SELECT 'CREATE TABLE learning_events (' || string_agg(column_name || CASE data_type WHEN 'bigint' THEN ' INTEGER' ELSE ' TEXT'
    END, ', ' ORDER BY ordinal_position) || ')' AS sql
FROM information_schema.columns
WHERE table_schema = 'nous' AND table_name = 'learning_events' AND column_name <> 'tenant_id';
