-- name: enqueue
INSERT INTO ingest_events (
    source, project_id, session_id, transcript_path, file_inode, file_offset, end_offset, payload_json, status,
    idempotency_key, next_attempt_at, created_at, updated_at)
VALUES (
    :source, :project_id, :session_id, :transcript_path, :file_inode, :file_offset, :end_offset, :payload_json, 'pending',
    :idempotency_key, :now, :now, :now)
ON CONFLICT (idempotency_key) DO NOTHING RETURNING ingest_id;

-- name: claim
-- Take the oldest due item whose session has nothing older unfinished: a session is learned in order.
UPDATE ingest_events SET
    status = 'processing', claimed_by = :worker, claimed_at = :now, lease_expires_at = :lease, updated_at = :now
WHERE ingest_id = (
    SELECT due.ingest_id FROM ingest_events AS due
    WHERE due.status IN ('pending', 'failed') AND due.next_attempt_at <= :now
        AND NOT EXISTS (
            SELECT 1 FROM ingest_events AS older
            WHERE older.transcript_path = due.transcript_path AND older.ingest_id < due.ingest_id
                AND older.status IN ('pending', 'processing', 'failed'))
    ORDER BY due.ingest_id LIMIT 1)
RETURNING *;

-- name: heartbeat
UPDATE ingest_events SET lease_expires_at = :lease, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'processing' AND claimed_by = :worker;

-- name: ack
UPDATE ingest_events SET status = 'completed', lease_expires_at = NULL, last_error = NULL, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'processing' AND claimed_by = :worker;

-- name: fail
UPDATE ingest_events SET
    status = CASE WHEN retry_count + 1 >= :max_attempts THEN 'dead_letter' ELSE 'failed' END,
    retry_count = retry_count + 1, last_error = :error, next_attempt_at = :next_attempt_at,
    lease_expires_at = NULL, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'processing' AND claimed_by = :worker;

-- name: stale
SELECT ingest_id, retry_count FROM ingest_events WHERE status = 'processing' AND lease_expires_at < :now;

-- name: release
UPDATE ingest_events SET
    status = CASE WHEN retry_count + 1 >= :max_attempts THEN 'dead_letter' ELSE 'pending' END,
    retry_count = retry_count + 1, last_error = 'lease_expired', claimed_by = NULL, lease_expires_at = NULL,
    next_attempt_at = :next_attempt_at, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'processing' AND lease_expires_at < :now;

-- name: requeue
UPDATE ingest_events SET status = 'pending', retry_count = 0, next_attempt_at = :now, last_error = NULL, updated_at = :now
WHERE ingest_id = :ingest_id AND status IN ('failed', 'dead_letter');

-- name: earlier
-- What the same file said before an item, newest first: the context of its first lines.
SELECT payload_json FROM ingest_events
WHERE transcript_path = :transcript_path AND ingest_id < :ingest_id ORDER BY ingest_id DESC LIMIT :limit;

-- name: counts
SELECT status, COUNT(*) AS items FROM ingest_events GROUP BY status;

-- name: next_due
SELECT MIN(next_attempt_at) AS due FROM ingest_events WHERE status IN ('pending', 'failed');

-- name: read_to
-- How far a file was read: the cursor, or the end of what still waits in the queue.
SELECT MAX(position) AS position FROM (
    SELECT last_offset AS position FROM ingest_cursors WHERE transcript_path = :path AND file_inode = :inode
    UNION ALL
    SELECT end_offset FROM ingest_events WHERE transcript_path = :path AND file_inode = :inode) AS ends;

-- name: cursor
SELECT last_offset, last_mtime FROM ingest_cursors WHERE transcript_path = :path AND file_inode = :inode;

-- name: cursors
SELECT transcript_path, file_inode, last_offset, last_mtime FROM ingest_cursors;

-- name: set_cursor
INSERT INTO ingest_cursors (transcript_path, file_inode, last_offset, last_mtime, updated_at)
VALUES (:path, :inode, :last_offset, :last_mtime, :now)
ON CONFLICT (transcript_path, file_inode) DO UPDATE SET
    last_offset = excluded.last_offset, last_mtime = COALESCE(excluded.last_mtime, ingest_cursors.last_mtime),
    updated_at = excluded.updated_at;

-- name: forget_cursor
DELETE FROM ingest_cursors WHERE transcript_path = :path AND file_inode = :inode;

-- name: detach_items
-- The file was cut or rewritten under the same inode: what was read from it before belongs to a file that is gone.
UPDATE ingest_events SET file_inode = file_inode || '~' || ingest_id WHERE transcript_path = :path AND file_inode = :inode;

-- name: known_records @sqlite
SELECT uuid FROM seen_records WHERE uuid IN (SELECT value FROM json_each(:uuids));

-- name: see_record
INSERT INTO seen_records (uuid) VALUES (:uuid) ON CONFLICT DO NOTHING;

-- name: quarantine
INSERT INTO quarantined_lines (transcript_path, file_inode, file_offset, length, reason, created_at)
VALUES (:path, :inode, :file_offset, :length, :reason, :now) ON CONFLICT DO NOTHING;

-- name: quarantined
SELECT transcript_path, file_offset, length, reason, created_at FROM quarantined_lines
ORDER BY created_at DESC, transcript_path, file_offset LIMIT :limit;

-- name: quarantine_count
SELECT COUNT(*) AS lines FROM quarantined_lines;

-- name: processed
SELECT latest_event_id FROM processed_extractions
WHERE project_id = :project_id AND session_id = :session_id AND learning_index = :learning_index;

-- name: mark_processed
INSERT INTO processed_extractions (
    project_id, session_id, learning_index, latest_event_id, latest_extractor_version, updated_at)
VALUES (:project_id, :session_id, :learning_index, :event_id, :version, :now)
ON CONFLICT (project_id, session_id, learning_index) DO UPDATE SET
    latest_event_id = excluded.latest_event_id, latest_extractor_version = excluded.latest_extractor_version,
    updated_at = excluded.updated_at;
