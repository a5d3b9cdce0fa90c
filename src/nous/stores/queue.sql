-- name: enqueue
INSERT INTO ingest_events (
    source, project_id, session_id, transcript_path, file_inode, file_offset, end_offset, payload_json, status,
    idempotency_key, next_attempt_at, created_at, updated_at)
VALUES (
    :source, :project_id, :session_id, :transcript_path, :file_inode, :file_offset, :end_offset, :payload_json, 'pending',
    :idempotency_key, :due, :now, :now)
ON CONFLICT (idempotency_key) DO NOTHING RETURNING ingest_id;

-- name: open_unit
-- The newest item of a file, if no worker has touched it: what the session says next still belongs to it.
SELECT ingest_id, session_id, end_offset, octet_length(payload_json) AS size, created_at FROM ingest_events
WHERE transcript_path = :path AND status IN ('pending', 'processing', 'failed')
    AND file_inode = :inode AND status = 'pending' AND retry_count = 0
    AND ingest_id = (SELECT MAX(ingest_id) FROM ingest_events WHERE transcript_path = :path)
LIMIT 1;

-- name: extend
UPDATE ingest_events SET
    payload_json = CASE
        WHEN :more = '[]' THEN payload_json
        WHEN payload_json = '[]' THEN :more
        ELSE substr(payload_json, 1, length(payload_json) - 1) || ',' || substr(:more, 2) END,
    end_offset = MAX(end_offset, :end_offset), next_attempt_at = :due, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'pending' AND retry_count = 0;

-- name: hurry
-- The session stopped: what waits for more lines need not wait.
UPDATE ingest_events SET next_attempt_at = :now, updated_at = :now
WHERE transcript_path = :path AND status IN ('pending', 'processing', 'failed')
    AND status = 'pending' AND retry_count = 0 AND next_attempt_at > :now;

-- name: claim
-- Take the oldest due item whose file has nothing older unfinished: a session is learned in order.
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

-- name: claimed
SELECT ingest_id, retry_count, claimed_by, lease_expires_at FROM ingest_events WHERE status = 'processing';

-- name: release
UPDATE ingest_events SET
    status = CASE WHEN retry_count + 1 >= :max_attempts THEN 'dead_letter' ELSE 'pending' END,
    retry_count = retry_count + 1, last_error = 'lease_expired', claimed_by = NULL, lease_expires_at = NULL,
    next_attempt_at = :next_attempt_at, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'processing' AND claimed_by = :worker AND lease_expires_at = :lease;

-- name: give_back
-- A worker that is told to stop returns what it holds; that is no failed attempt.
UPDATE ingest_events SET
    status = 'pending', claimed_by = NULL, lease_expires_at = NULL, next_attempt_at = :now, updated_at = :now
WHERE status = 'processing' AND claimed_by = :worker;

-- name: too_far
SELECT COUNT(*) AS items FROM ingest_events WHERE status IN ('pending', 'failed') AND next_attempt_at > :limit;

-- name: bring_near
-- The clock went back: nothing is due later than the longest wait there is.
UPDATE ingest_events SET next_attempt_at = :now, updated_at = :now
WHERE status IN ('pending', 'failed') AND next_attempt_at > :limit;

-- name: requeue
UPDATE ingest_events SET status = 'pending', retry_count = 0, next_attempt_at = :now, last_error = NULL, updated_at = :now
WHERE ingest_id = :ingest_id AND status IN ('failed', 'dead_letter');

-- name: skip
UPDATE ingest_events SET status = 'completed', last_error = 'skipped', payload_json = '[]', updated_at = :now
WHERE ingest_id = :ingest_id AND status IN ('pending', 'failed', 'dead_letter');

-- name: earlier
-- What the same file said before an item, newest first, as far as it was not moved to the archive.
SELECT payload_json FROM ingest_events
WHERE transcript_path = :transcript_path AND ingest_id < :ingest_id AND payload_json <> '[]'
ORDER BY ingest_id DESC LIMIT :limit;

-- name: unread
SELECT payload_json FROM ingest_events WHERE transcript_path = :path AND payload_json <> '[]' ORDER BY ingest_id;

-- name: drop_payload
UPDATE ingest_events SET payload_json = '[]' WHERE ingest_id = :ingest_id AND status = 'completed';

-- name: drop_payloads_before
UPDATE ingest_events SET payload_json = '[]'
WHERE transcript_path = :path AND ingest_id < :ingest_id AND status = 'completed' AND payload_json <> '[]';

-- name: drop_old_payloads
UPDATE ingest_events SET payload_json = '[]'
WHERE status = 'completed' AND payload_json <> '[]' AND updated_at < :moment;

-- name: counts
SELECT status, COUNT(*) AS items FROM ingest_events GROUP BY status;

-- name: listing
SELECT ingest_id, status, source, project_id, session_id, transcript_path, file_offset, end_offset, retry_count,
    claimed_by, lease_expires_at, next_attempt_at, last_error, created_at, updated_at, octet_length(payload_json) AS size
FROM ingest_events
WHERE (:status IS NULL AND status <> 'completed') OR status = :status OR :status = 'all'
ORDER BY ingest_id DESC LIMIT :limit;

-- name: get
SELECT * FROM ingest_events WHERE ingest_id = :ingest_id;

-- name: next_due
SELECT MIN(next_attempt_at) AS due FROM ingest_events WHERE status IN ('pending', 'failed');

-- name: of_session
SELECT ingest_id, payload_json FROM ingest_events
WHERE session_id = :session_id AND payload_json <> '[]' ORDER BY ingest_id;

-- name: with_payload
SELECT ingest_id, payload_json FROM ingest_events WHERE payload_json <> '[]' ORDER BY ingest_id;

-- name: set_payload
UPDATE ingest_events SET payload_json = :payload WHERE ingest_id = :ingest_id;

-- name: file
SELECT * FROM transcript_files WHERE transcript_path = :path;

-- name: files
SELECT transcript_path, device, inode, size, mtime_ns, gone_at FROM transcript_files;

-- name: files_by_inode
SELECT * FROM transcript_files WHERE inode = :inode AND device = :device AND transcript_path <> :path;

-- name: put_file
INSERT INTO transcript_files (
    transcript_path, device, inode, generation, size, mtime_ns, read_offset, head_length, head_hash, anchor_length,
    anchor_hash, is_own, gone_at)
VALUES (
    :path, :device, :inode, :generation, :size, :mtime_ns, :read_offset, :head_length, :head_hash, :anchor_length,
    :anchor_hash, :is_own, NULL)
ON CONFLICT (transcript_path) DO UPDATE SET
    device = excluded.device, inode = excluded.inode, generation = excluded.generation, size = excluded.size,
    mtime_ns = excluded.mtime_ns, read_offset = excluded.read_offset, head_length = excluded.head_length,
    head_hash = excluded.head_hash, anchor_length = excluded.anchor_length, anchor_hash = excluded.anchor_hash,
    is_own = excluded.is_own, gone_at = NULL;

-- name: file_gone
UPDATE transcript_files SET gone_at = :now WHERE transcript_path = :path AND gone_at IS NULL;

-- name: forget_files
DELETE FROM transcript_files WHERE gone_at < :moment;

-- name: forget_file
DELETE FROM transcript_files WHERE transcript_path = :path;

-- name: move_items
UPDATE ingest_events SET transcript_path = :path WHERE transcript_path = :old_path;

-- name: move_cursor
UPDATE OR REPLACE ingest_cursors SET transcript_path = :path WHERE transcript_path = :old_path;

-- name: cursor
SELECT last_offset, last_mtime FROM ingest_cursors WHERE transcript_path = :path AND file_inode = :inode;

-- name: unfinished
SELECT 1 AS found FROM ingest_events
WHERE transcript_path = :path AND file_inode = :inode AND status <> 'completed' LIMIT 1;

-- name: promote
-- The cursor stands at the end of what is finished without a gap: a failed range keeps it back.
INSERT INTO ingest_cursors (transcript_path, file_inode, last_offset, last_mtime, updated_at)
VALUES (:path, :inode, COALESCE(
    (SELECT MIN(file_offset) FROM ingest_events
        WHERE transcript_path = :path AND file_inode = :inode AND status <> 'completed'),
    (SELECT MAX(end_offset) FROM ingest_events WHERE transcript_path = :path AND file_inode = :inode), 0), NULL, :now)
ON CONFLICT (transcript_path, file_inode) DO UPDATE SET
    last_offset = MAX(excluded.last_offset, ingest_cursors.last_offset), updated_at = excluded.updated_at;

-- name: set_cursor
INSERT INTO ingest_cursors (transcript_path, file_inode, last_offset, last_mtime, updated_at)
VALUES (:path, :inode, :last_offset, NULL, :now)
ON CONFLICT (transcript_path, file_inode) DO UPDATE SET
    last_offset = MAX(excluded.last_offset, ingest_cursors.last_offset), updated_at = excluded.updated_at;

-- name: see_records @sqlite
INSERT INTO seen_records (uuid) SELECT value FROM json_each(:uuids) WHERE true ON CONFLICT DO NOTHING RETURNING uuid;

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
