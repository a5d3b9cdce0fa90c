-- What can be made again, or only served to tune, is let go of after a while. The log and the read models that replay
-- compares are never touched.

-- name: vectors
DELETE FROM vectors WHERE memory_id IN (
    SELECT id FROM memories JOIN learning_events ON event_id = version WHERE status = 'archived' AND arrived_at < :moment);

-- name: rejections
DELETE FROM rejections WHERE created_at < :moment;

-- name: payloads
-- What a finished item of the queue said; the archive of transcripts has it.
UPDATE ingest_events SET payload_json = '[]'
WHERE status = 'completed' AND payload_json <> '[]' AND updated_at < :moment;

-- name: audit_log
DELETE FROM audit_log WHERE last_at < :moment;
