-- name: enqueue
INSERT INTO ingest_events (
    source, project_id, session_id, transcript_path, file_inode, file_offset, end_offset, payload_json, status,
    idempotency_key, next_attempt_at, created_at, updated_at)
VALUES (
    :source, :project_id, :session_id, :transcript_path, :file_inode, :file_offset, :end_offset, :payload_json, 'pending',
    :idempotency_key, :due, :now, :now)
ON CONFLICT (idempotency_key) DO NOTHING RETURNING ingest_id;

-- name: open_unit: The newest item of a file, if nobody has begun to work on it.
-- The newest item of a file, if no worker has touched it: what the session says next still belongs to it.
SELECT ingest_id, session_id, end_offset, octet_length(payload_json) AS size, created_at FROM ingest_events
WHERE transcript_path = :path AND status IN ('pending', 'processing', 'failed')
    AND file_inode = :inode AND status = 'pending' AND retry_count = 0
    AND ingest_id = (SELECT MAX(ingest_id) FROM ingest_events WHERE transcript_path = :path)
LIMIT 1;

-- name: extend: Let later turns join an item; False when a worker was faster.
UPDATE ingest_events SET
    payload_json = CASE
        WHEN :more = '[]' THEN payload_json
        WHEN payload_json = '[]' THEN :more
        ELSE substr(payload_json, 1, length(payload_json) - 1) || ',' || substr(:more, 2) END,
    end_offset = MAX(end_offset, :end_offset), next_attempt_at = :due, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'pending' AND retry_count = 0;

-- name: hurry: What a file said is due now: its session stopped. How many items.
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
SELECT ingest_id, kills, claimed_by, lease_expires_at FROM ingest_events WHERE status = 'processing';

-- name: release
-- Whoever held it died. That is mostly a computer that was switched off, so it costs no attempt; only an item over which
-- worker after worker dies is set aside.
UPDATE ingest_events SET
    status = CASE WHEN kills + 1 >= :max_kills THEN 'dead_letter' ELSE 'pending' END,
    kills = kills + 1, last_error = 'lease_expired', claimed_by = NULL, lease_expires_at = NULL,
    next_attempt_at = :next_attempt_at, updated_at = :now
WHERE ingest_id = :ingest_id AND status = 'processing' AND claimed_by = :worker AND lease_expires_at = :lease;

-- name: give_back: Return what a worker holds because it is told to stop; how many items.
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

-- name: requeue: Try a failed or dead item again.
UPDATE ingest_events SET status = 'pending', retry_count = 0, kills = 0, next_attempt_at = :now, last_error = NULL, updated_at = :now
WHERE ingest_id = :ingest_id AND status IN ('failed', 'dead_letter');

-- name: skip
UPDATE ingest_events SET status = 'completed', last_error = 'skipped', payload_json = '[]', updated_at = :now
WHERE ingest_id = :ingest_id AND status IN ('pending', 'failed', 'dead_letter');

-- name: earlier
-- What the same file said before an item, newest first, as far as it was not moved to the archive.
SELECT payload_json FROM ingest_events
WHERE transcript_path = :transcript_path AND ingest_id < :ingest_id AND payload_json <> '[]'
ORDER BY ingest_id DESC LIMIT :limit;

-- name: unread: What a file says that is not in the archive, oldest first.
SELECT payload_json FROM ingest_events WHERE transcript_path = :path AND payload_json <> '[]' ORDER BY ingest_id;

-- name: drop_payload: Empty a finished item: the archive has what it said.
UPDATE ingest_events SET payload_json = '[]' WHERE ingest_id = :ingest_id AND status = 'completed';

-- name: drop_payloads_before: Empty the finished items of a file that are older than one; its own text stays as context for the next.
UPDATE ingest_events SET payload_json = '[]'
WHERE transcript_path = :path AND ingest_id < :ingest_id AND status = 'completed' AND payload_json <> '[]';

-- name: drop_old_payloads: Empty items that were finished before a moment.
UPDATE ingest_events SET payload_json = '[]'
WHERE status = 'completed' AND payload_json <> '[]' AND updated_at < :moment;

-- name: counts: Items by state.
SELECT status, COUNT(*) AS items FROM ingest_events GROUP BY status;

-- name: listing: Items, newest first: the unfinished ones, those of one state, or `all`.
SELECT ingest_id, status, source, project_id, session_id, transcript_path, file_offset, end_offset, retry_count, kills,
    claimed_by, lease_expires_at, next_attempt_at, last_error, created_at, updated_at, octet_length(payload_json) AS size
FROM ingest_events
WHERE (:status IS NULL AND status <> 'completed') OR status = :status OR :status = 'all'
ORDER BY ingest_id DESC LIMIT :limit;

-- name: get: Everything about one item.
SELECT * FROM ingest_events WHERE ingest_id = :ingest_id;

-- name: next_due: When the next waiting item may be tried.
SELECT MIN(next_attempt_at) AS due FROM ingest_events WHERE status IN ('pending', 'failed');

-- name: with_payload
SELECT ingest_id, payload_json FROM ingest_events WHERE payload_json <> '[]' ORDER BY ingest_id;

-- name: set_payload
UPDATE ingest_events SET payload_json = :payload WHERE ingest_id = :ingest_id;

-- name: move_items
UPDATE ingest_events SET transcript_path = :path WHERE transcript_path = :old_path;
