-- name: keep
INSERT INTO told_episodes (uuid, session_id, source, summary, labels, written_by, written_at)
VALUES (:uuid, :session_id, :source, :summary, :labels, :written_by, :written_at)
ON CONFLICT (uuid) DO UPDATE SET source = excluded.source, summary = excluded.summary, labels = excluded.labels,
    written_by = excluded.written_by, written_at = excluded.written_at;

-- name: of_session
SELECT uuid, source, summary, labels, written_by FROM told_episodes WHERE session_id = :session_id;

-- name: label
UPDATE exchanges SET label = :label WHERE uuid = :uuid;

-- name: drop
DELETE FROM told_episodes WHERE session_id = :session_id;

-- name: drop_changed
-- Of sessions whose transcript was changed, or is no longer kept.
DELETE FROM told_episodes WHERE session_id IN (SELECT session_id FROM exchange_files WHERE is_waiting = 2)
    OR session_id NOT IN (SELECT session_id FROM exchange_files);
