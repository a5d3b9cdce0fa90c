-- name: move @sqlite
UPDATE OR REPLACE ingest_cursors SET transcript_path = :path WHERE transcript_path = :old_path;

-- name: move @postgres
WITH gone AS (
    DELETE FROM ingest_cursors AS old WHERE transcript_path = :path AND EXISTS (
        SELECT 1 FROM ingest_cursors AS moved
        WHERE moved.transcript_path = :old_path AND moved.file_inode = old.file_inode)
    RETURNING cursor_id)
INSERT INTO ingest_cursors (transcript_path, file_inode, last_offset, last_mtime, updated_at)
SELECT :path, file_inode, last_offset, last_mtime, updated_at FROM ingest_cursors WHERE transcript_path = :old_path;

-- name: get: How far a file was learned.
SELECT last_offset, last_mtime FROM ingest_cursors WHERE transcript_path = :path AND file_inode = :inode;

-- name: unfinished
SELECT 1 AS found FROM ingest_events
WHERE transcript_path = :path AND file_inode = :inode AND status <> 'completed' LIMIT 1;

-- name: promote: Move a file's cursor to the end of what is finished without a gap.
-- The cursor stands at the end of what is finished without a gap: a failed range keeps it back.
INSERT INTO ingest_cursors (transcript_path, file_inode, last_offset, last_mtime, updated_at)
VALUES (:path, :inode, COALESCE(
    (SELECT MIN(file_offset) FROM ingest_events
        WHERE transcript_path = :path AND file_inode = :inode AND status <> 'completed'),
    (SELECT MAX(end_offset) FROM ingest_events WHERE transcript_path = :path AND file_inode = :inode), 0), NULL, :now)
ON CONFLICT (transcript_path, file_inode) DO UPDATE SET
    last_offset = MAX(excluded.last_offset, ingest_cursors.last_offset), updated_at = excluded.updated_at;

-- name: set
INSERT INTO ingest_cursors (transcript_path, file_inode, last_offset, last_mtime, updated_at)
VALUES (:path, :inode, :last_offset, NULL, :now)
ON CONFLICT (transcript_path, file_inode) DO UPDATE SET
    last_offset = MAX(excluded.last_offset, ingest_cursors.last_offset), updated_at = excluded.updated_at;
